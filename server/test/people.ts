import assert from "node:assert/strict";
import { sql } from "kysely";
import { lockCounters, moveCounter } from "../db/counters.ts";
import { addToLists } from "../db/lists.ts";
import type { Maker } from "./make.ts";
import type { Answer, Client } from "./server.ts";

type Body = Answer["body"];

/** Makes a learner, whose e-mail is made of the name, and gives the answer's body. */
export async function addUser(client: Client, name: string, more: object = {}): Promise<Body> {
  const email = `${name.toLowerCase().replaceAll(" ", ".")}@example.com`;
  const made = await client.post("/api/v1/users", { name, email, role: "learner", ...more });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}

/** Makes a group and gives the answer's body. */
export async function addGroup(client: Client, name: string, more: object = {}): Promise<Body> {
  const made = await client.post("/api/v1/groups", { name, ...more });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}

/** A user's own answer as lists of version 1 and groups show the user. */
export function summaryOf({ type: _type, custom_user_field_data: _data, ...summary }: Body): Body {
  return summary;
}

/** Makes many learners with one statement, as an import would; their ids follow each other. */
export async function addManyUsers(make: Maker, client: Client, count: number): Promise<number[]> {
  return make.write(client, async (tx) => {
    const at = await lockCounters(tx, "users");
    const first = await moveCounter(tx, { kind: "users", ids: count, total: count, at });
    const ids = Array.from({ length: count }, (_, index) => first + index);
    const emails = ids.map((id) => `person-${id}@example.com`);
    await sql`
      insert into users (company_id, id, name, email, email_key, role_id, locale, created_at)
      select ${tx.company.id}, id, 'Person', email, email, 32, 'en', ${at}
      from unnest(${ids}::bigint[], ${emails}::text[]) as person (id, email)
      on conflict do nothing`.execute(tx.sql);
    await addToLists(tx, [{ list: "users", ids }]);
    return ids;
  });
}
