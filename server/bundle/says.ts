/** An id that can't be given a second time. */
export function takenId(what: string): string {
  return `is taken by another ${what}, of the company or of the file`;
}

/** An id that stands for nothing. */
export function unknown(what: string): string {
  return `names no ${what} of the file or the company`;
}
