/**
 * Reads rows in pages by id, so that no more than a page of them is in memory.
 * @param read gives the rows after an id, in the order of their ids, at most so many.
 */
export async function* pagesById<T extends { readonly id: number }>(
  size: number,
  read: (after: number, limit: number) => Promise<T[]>,
): AsyncGenerator<T[]> {
  let after = 0;
  for (;;) {
    const rows = await read(after, size);
    const last = rows.at(-1);
    if (last !== undefined) yield rows;
    if (last === undefined || rows.length < size) return;
    after = last.id;
  }
}
