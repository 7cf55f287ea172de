import assert from "node:assert/strict";
import type { InjectOptions } from "fastify";
import type { Company } from "../companies/companies.ts";
import type { App } from "../http/app.ts";
import { startSession } from "../sessions/start.ts";
import { type Answer, type Client, type TestServer, toAnswer } from "./server.ts";

/** Who is to be signed in: a user who is there, or a new one with a role. */
export interface Who {
  readonly role?: "admin" | "creator" | "manager" | "learner";
  /** A custom role, in place of `role`. */
  readonly role_id?: number;
  readonly name?: string;
  readonly user_id?: number;
}

/**
 * Signs a person in, whom version 1 makes where they are not there yet. The session begins without a password, as it is
 * dear to check; sessions.test.ts goes the whole way.
 */
export async function signIn(
  lectern: Pick<TestServer, "app" | "make">,
  client: Client,
  who: Who = {},
): Promise<Person> {
  const user_id = who.user_id ?? (await makeUser(client, who));
  const { token } = await lectern.make.write(client, (tx) =>
    startSession(tx, { user_id, method: "password", user_agent: "Test" }),
  );
  return new Person(lectern.app, client.company, { user_id, cookie: `__Host-lectern=${token}` });
}

let people = 0;

async function makeUser(client: Client, { role = "learner", role_id, name }: Who): Promise<number> {
  people += 1;
  const made = await client.post("/api/v1/users", {
    name: name ?? `The ${role} ${people}`,
    email: `${role}-${people}@people.example.com`,
    ...(role_id === undefined ? { role } : { role_id }),
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.id;
}

/** Calls the API as a person does whose browser has the cookie of a session. */
export class Person {
  readonly company: Company;
  readonly user_id: number;
  readonly cookie: string;
  readonly #app: App;

  constructor(app: App, company: Company, { user_id, cookie }: { user_id: number; cookie: string }) {
    this.#app = app;
    this.company = company;
    this.user_id = user_id;
    this.cookie = cookie;
  }

  get(url: string): Promise<Answer> {
    return this.request({ method: "GET", url });
  }

  post(url: string, body?: object): Promise<Answer> {
    return this.request({ method: "POST", url, ...(body && { payload: body }) });
  }

  put(url: string, body?: object): Promise<Answer> {
    return this.request({ method: "PUT", url, ...(body && { payload: body }) });
  }

  patch(url: string, body?: object): Promise<Answer> {
    return this.request({ method: "PATCH", url, ...(body && { payload: body }) });
  }

  delete(url: string): Promise<Answer> {
    return this.request({ method: "DELETE", url });
  }

  /** Any request; the cookie is set unless the headers say otherwise. A body that is no JSON stays text. */
  async request(options: InjectOptions): Promise<Answer> {
    const answer = await this.#app.inject({
      ...options,
      headers: { cookie: this.cookie, ...options.headers },
    });
    return toAnswer(answer);
  }
}
