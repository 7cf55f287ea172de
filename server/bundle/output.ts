/** Characters that are written at once. */
const CHUNK_LENGTH = 256 * 1024;

/** Writes a bundle: one JSON object, with a line for each element, as it comes. */
export class Output {
  readonly #write: (chunk: string) => Promise<void>;
  #waiting: string[] = [];
  #length = 0;
  #keys = 0;

  constructor(write: (chunk: string) => Promise<void>) {
    this.#write = write;
  }

  /** Writes a key with its whole value. */
  async value(key: string, value: unknown): Promise<void> {
    await this.#put(`${this.#keys++ === 0 ? "{" : ","}\n${JSON.stringify(key)}:${JSON.stringify(value)}`);
  }

  /** Writes a key with the elements of an array, which come in pages. */
  async array(key: string, pages: AsyncIterable<readonly unknown[]>): Promise<void> {
    await this.#put(`${this.#keys++ === 0 ? "{" : ","}\n${JSON.stringify(key)}:[`);
    let elements = 0;
    for await (const page of pages) {
      for (const element of page)
        await this.#put(`${elements++ === 0 ? "\n" : ",\n"}${JSON.stringify(element)}`);
    }
    await this.#put("]");
  }

  async end(): Promise<void> {
    await this.#put("\n}\n");
    await this.#flush();
  }

  async #put(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#length += text.length;
    if (this.#length >= CHUNK_LENGTH) await this.#flush();
  }

  async #flush(): Promise<void> {
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#length = 0;
    await this.#write(text);
  }
}
