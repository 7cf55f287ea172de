/**
 * So many may do something at once, shared by companies: each may have as many slots as are left free, so that whoever
 * comes next finds some. One alone has half of them, two a third each. Who waits gets in in the order that they came, one
 * of each company in turn.
 */
export class Slots {
  #free: number;
  readonly #taken = new Map<number, number>();
  /** By company, the one whose turn is next first. */
  readonly #waiting = new Map<number, (() => void)[]>();

  constructor(size: number) {
    this.#free = size;
  }

  /** Runs something for a company when there is a slot for it. */
  async use<T>(company_id: number, run: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#waiting.set(company_id, [...(this.#waiting.get(company_id) ?? []), resolve]);
      this.#admit();
    });
    try {
      return await run();
    } finally {
      this.#give(company_id);
      this.#admit();
    }
  }

  #admit(): void {
    for (let next = this.#findNext(); next !== undefined; next = this.#findNext()) {
      const [company_id, [enter, ...others]] = next;
      // Its next one goes behind those of the others.
      this.#waiting.delete(company_id);
      if (others.length > 0) this.#waiting.set(company_id, others);
      this.#free -= 1;
      this.#taken.set(company_id, this.#countOf(company_id) + 1);
      enter?.();
    }
  }

  #findNext(): [number, (() => void)[]] | undefined {
    for (const waiting of this.#waiting) if (this.#countOf(waiting[0]) < this.#free) return waiting;
    return undefined;
  }

  #give(company_id: number): void {
    const left = this.#countOf(company_id) - 1;
    if (left === 0) this.#taken.delete(company_id);
    else this.#taken.set(company_id, left);
    this.#free += 1;
  }

  #countOf(company_id: number): number {
    return this.#taken.get(company_id) ?? 0;
  }
}
