import type { App } from "../http/app.ts";

/** An answer's body, whose shape the caller knows from the document. */
export type Body = ReturnType<typeof JSON.parse>;

/** Somebody of the demo company who uses the API as the app does, with the cookie of their session. */
export class Visitor {
  readonly #app: App;
  readonly #cookie: string;

  constructor(app: App, token: string) {
    this.#app = app;
    this.#cookie = `__Host-lectern=${token}`;
  }

  get(url: string): Promise<Body> {
    return this.ask("GET", url);
  }

  post(url: string, body: object = {}): Promise<Body> {
    return this.ask("POST", url, { payload: body });
  }

  put(url: string, body: object): Promise<Body> {
    return this.ask("PUT", url, { payload: body });
  }

  /** @throws Error when the answer is no success: the demo knows what it asks for. */
  async ask(
    method: "GET" | "POST" | "PUT",
    url: string,
    { payload, type = "application/json" }: { payload?: object | string | Buffer; type?: string } = {},
  ): Promise<Body> {
    const headers = { cookie: this.#cookie, ...(payload !== undefined && { "content-type": type }) };
    const answer = await this.#app.inject({
      method,
      url,
      headers,
      ...(payload !== undefined && { payload }),
    });
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`);
    return answer.json();
  }

  /** Uploads a file in one part. @returns its id. */
  async upload(name: string, bytes: Buffer): Promise<number> {
    const { id } = await this.post("/api/v2/uploads", { name, size: bytes.length });
    await this.ask("PUT", `/api/v2/uploads/${id}/parts/1`, {
      payload: bytes,
      type: "application/octet-stream",
    });
    const file = await this.post(`/api/v2/uploads/${id}/complete`);
    return file.id;
  }
}
