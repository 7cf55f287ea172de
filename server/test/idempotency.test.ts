import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { type Person, signIn } from "./person.ts";
import { makeRequests, type Request } from "./repeatable.ts";
import { type Answer, startServer, type TestServer } from "./server.ts";
import { listOperationsOfVersion2 } from "./walk.ts";

type Body = Answer["body"];

test("a write that is sent twice under one Idempotency-Key is done once", async (t) => {
  let now = Date.parse("2026-11-21T12:00:00Z");
  await using lectern = await startServer({ clock: () => new Date(now) });
  await using storage = await Storage.open(lectern);
  const ada = await signIn(lectern, lectern.acme, { user_id: 1 });
  const writes = listOperationsOfVersion2(lectern).filter(({ method }) => method !== "GET");
  const requests = await makeRequests(lectern, ada, writes);
  assert.ok(requests.length > 70, `${requests.length} requests`);

  await t.test("each operation: one effect, the same answer", async () => {
    let before = await storage.read();
    for (const request of requests) before = await sendTwice({ storage, before }, ada, request);
  });
  await t.test("another request under the key is refused, another caller may use it", async () => {
    const options = { method: "POST", url: "/api/v2/tags", headers: { "idempotency-key": "mine" } } as const;
    const first = await ada.request({ ...options, payload: { name: "One" } });
    assert.equal(first.status, 201);
    assert.equal((await ada.request({ ...options, payload: { name: "Two" } })).status, 422);
    assert.equal(
      (await ada.request({ ...options, url: "/api/v2/groups", payload: { name: "One" } })).status,
      422,
    );
    const other = await lectern.acme.request({ ...options, payload: { name: "Two" } });
    assert.deepEqual([other.status, other.body.name], [201, "Two"]);
    assert.deepEqual((await ada.request({ ...options, payload: { name: "One" } })).body, first.body);
  });
  await t.test("a body that comes as a stream is told apart by its bytes", async () => {
    const [one, other] = ["1", "2"].map(
      (digit) => `---\ntitle: Draft ${digit}\n---\n\n# All\n\n## One\n\nText.\n`,
    );
    assert.ok(one !== undefined && other !== undefined);
    const first = await sendMarkdown(ada, one);
    assert.equal(first.status, 201, JSON.stringify(first.body));
    assert.deepEqual((await sendMarkdown(ada, one)).body, first.body);
    assert.equal((await sendMarkdown(ada, other)).status, 422);
  });
  await t.test("what was refused is tried anew, and what only reads takes no key", async () => {
    const headers = { "idempotency-key": "again" };
    const add = { method: "POST", url: "/api/v2/tags", payload: { name: "One" }, headers } as const;
    assert.equal((await ada.request(add)).status, 422);
    assert.equal(
      (await ada.request({ method: "GET", url: "/api/v2/audit_log/export", headers })).status,
      200,
    );
    assert.equal((await ada.request({ ...add, payload: { name: "Three" } })).status, 201);
  });
  await t.test("after a day the key is new", async () => {
    const again = async (hours: number) => {
      now += hours * 3_600_000;
      const admin = await signIn(lectern, lectern.acme, { user_id: 1 });
      const headers = { "idempotency-key": "daily" };
      return admin.request({ method: "POST", url: "/api/v2/groups", payload: { name: "Daily" }, headers });
    };
    const [first, same] = [await again(0), await again(23.9)];
    assert.deepEqual([first.status, same.status, same.body], [201, 201, first.body]);
    const kept = await countKeys(lectern);
    const next = await again(0.2);
    assert.equal(next.status, 201);
    assert.notEqual(first.body.id, next.body.id);
    assert.ok((await countKeys(lectern)) < kept, "others that have expired go with it");
  });
});

function sendMarkdown(person: Person, payload: string): Promise<Answer> {
  const headers = { "content-type": "text/markdown", "idempotency-key": "text" };
  return person.request({ method: "POST", url: "/api/v2/lessons/markdown", payload, headers });
}

async function countKeys({ make, acme }: TestServer): Promise<number> {
  const kept = await make.write(acme, (tx) =>
    tx.sql.selectFrom("idempotency_keys").select("hash").where("company_id", "=", tx.company.id).execute(),
  );
  return kept.length;
}

/** Sends a request twice at once, and once more: there is one answer, and nothing happens any more. */
async function sendTwice(
  { storage, before }: { readonly storage: Storage; readonly before: Stored },
  person: Person,
  { name, ...request }: Request,
): Promise<Stored> {
  const headers = { ...request.headers, "idempotency-key": name };
  const both = await Promise.all([0, 1].map(() => person.request({ ...request, headers })));
  const [first, second] = both.toSorted((one, other) => one.status - other.status);
  assert.ok(first !== undefined && second !== undefined);
  assert.ok(first.status < 300, `${name} ${first.status} ${JSON.stringify(first.body)}`);
  if (second.status === 409) assert.match(second.body.detail, /under way|being completed/, name);
  else assert.deepEqual([second.status, second.body], [first.status, first.body], name);
  const after = await storage.read();
  assert.equal(countDeeds(before, after), 1, `${name} is done once`);
  const again = await person.request({ ...request, headers });
  assert.deepEqual([again.status, again.body], [first.status, first.body], name);
  assert.deepEqual(await storage.read(), after, `${name} did nothing any more`);
  return after;
}

/** All that is stored, by table. */
type Stored = ReadonlyMap<string, string>;

/** Reads everything that is stored of a company, with one statement. */
class Storage implements AsyncDisposable {
  readonly #client: pg.Client;
  readonly #statement: string;

  private constructor(client: pg.Client, statement: string) {
    this.#client = client;
    this.#statement = statement;
  }

  static async open({ ownerUrl, acme }: TestServer): Promise<Storage> {
    const client = new pg.Client({ connectionString: ownerUrl });
    await client.connect();
    await client.query("select set_config('app.company_id', $1, false)", [String(acme.company.id)]);
    const { rows } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'company_id' order by 1`,
    );
    const tables = rows.map(
      ({ name }) =>
        `select '${name}' as name, coalesce(jsonb_agg(to_jsonb(t) order by to_jsonb(t)), '[]')::text as rows
         from ${pg.escapeIdentifier(name)} t where company_id = ${acme.company.id}`,
    );
    return new Storage(client, tables.join(" union all "));
  }

  async read(): Promise<Stored> {
    const { rows } = await this.#client.query<{ name: string; rows: string }>(this.#statement);
    return new Map(rows.map((table) => [table.name, table.rows]));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client.end();
  }
}

/** How many requests have written into the audit, or 1 for what the audit does not note. */
function countDeeds(before: Stored, after: Stored): number {
  const read = (from: Stored): Body[] => JSON.parse(from.get("audit_log") ?? "[]");
  const known = new Set(read(before).map(({ id }) => id));
  const added = read(after).filter(({ id }) => !known.has(id));
  return Math.max(1, new Set(added.map(({ request_id }) => request_id)).size);
}
