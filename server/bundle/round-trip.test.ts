import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sql } from "kysely";
import pg from "pg";
import { generateBundle } from "../../bench/generate-bundle.ts";
import { anyBundle } from "../test/any-bundle.ts";
import { exportOf, exportText, importInto, least } from "../test/bundles.ts";
import { tablesInOrderOfDeletion } from "../companies/delete.ts";
import { assertCountsHold } from "../test/counts.ts";
import { type Answer, type Client, startServer, type TestServer } from "../test/server.ts";
import { makeContent } from "../test/content.ts";
import { parseMoment } from "../time.ts";
import { furtherParts } from "./parts.ts";

const RUNS = 15;

test("any company: exported, imported into another and exported again, it is the same to the byte", async () => {
  await using lectern = await startServer();
  let made = 0;
  const roundTrip = fc.asyncProperty(anyBundle, async (bundle) => {
    made += 1;
    const first = await lectern.addCompany({ subdomain: `first-${made}`, time_zone: "America/New_York" });
    const second = await lectern.addCompany({ subdomain: `second-${made}` });
    await importInto(lectern, first, bundle);
    const text = await exportText(lectern, first);
    assertSays(JSON.parse(text), bundle);
    await importInto(lectern, second, text);
    assert.ok((await exportText(lectern, second)) === text, "the second export differs");
    assert.deepEqual(await rowsOf(lectern, second), await rowsOf(lectern, first));
    await assertCountsHold({ ...lectern, acme: first, globex: second });
  });
  await fc.assert(roundTrip, { numRuns: RUNS });
});

/** What a company has in every table that moves with it. */
async function rowsOf({ ownerUrl }: TestServer, { company }: Client): Promise<object[]> {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  const tables = tablesInOrderOfDeletion.filter((table) => !staying.has(table));
  const rows = tables.map(
    (table) =>
      `select '${table}' as of, to_jsonb(t) - 'company_id' - 'moved_at' as row from ${table} t where company_id = $1`,
  );
  const found = await owner.query<{ of: string }>(`${rows.join(" union all ")} order by 1, 2`, [company.id]);
  await owner.end();
  assert.ok(found.rows.some(({ of }) => of === "counters"));
  return found.rows;
}

/** What belongs to an installation: its name and its plan, keys and passwords, and who did what there. */
const staying: ReadonlySet<string> = new Set([
  "companies",
  "passwords",
  "api_keys",
  "audit_log",
  "sessions",
  "sign_in_links",
  "sign_in_devices",
  "identity_providers",
  "idempotency_keys",
  "bulk_jobs",
  "bulk_rows",
  "uploads",
  "upload_parts",
  "mails",
  "mail_notices",
  "mail_state",
  "mail_addresses_refused",
]);

/** What the file says is in the export: times to the microsecond, and all but what is computed. */
function assertSays(exported: Answer["body"], given: Readonly<Record<string, readonly object[]>>): void {
  for (const [part, elements] of Object.entries(given)) {
    for (const element of elements) {
      const id = "id" in element ? element.id : undefined;
      const found: object = exported[part].find((other: { id: number }) => other.id === id);
      for (const [key, value] of Object.entries(element)) {
        const shown: unknown = Object.entries(found).find(([name]) => name === key)?.[1];
        if (typeof value === "object" && value !== null) continue;
        if (key === "status" && (value === "Overdue" || shown === "Overdue")) continue;
        assert.deepEqual(normal(shown ?? null), normal(value), `${part} ${key}`);
      }
    }
  }
}

function normal(value: unknown): unknown {
  return typeof value === "string" ? (parseMoment(value) ?? value) : value;
}

test("what the generator of large bundles makes comes back as it was", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  const sizes = { users: 40, groups: 4, lessons: 10, paths: 8, assignments: 700 };
  await importInto(lectern, acme, [...generateBundle(sizes)].join(""));
  const text = await exportText(lectern, acme);
  await importInto(lectern, globex, text);
  assert.ok((await exportText(lectern, globex)) === text);
  await assertCountsHold(lectern);
});

test("what people wrote and took moves too: versions, attempts, certificates, what is known of files", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const { lesson_id, role_id } = await makeContent(lectern, acme, "Amber");
  await lectern.make.write(acme, async (tx) => {
    await sql`update roles set privileges = '{lessons.write:own}' where company_id = ${tx.company.id} and id = ${role_id}`.execute(
      tx.sql,
    );
    await sql`update lessons set language = 'sv', published_version = 1
      where company_id = ${tx.company.id} and id = ${lesson_id}`.execute(tx.sql);
    await sql`update attempt_answers set claimed_by = null where company_id = ${tx.company.id}`.execute(
      tx.sql,
    );
  });
  const [first, second] = [
    await lectern.addCompany({ subdomain: "first" }),
    await lectern.addCompany({ subdomain: "second" }),
  ];
  await importInto(lectern, first, await exportText(lectern, acme));
  const text = await exportText(lectern, first);
  const parts = JSON.parse(text);
  for (const part of furtherParts.filter((name) => !rare.has(name))) assert.ok(parts[part].length > 0, part);
  await importInto(lectern, second, text);
  assert.ok((await exportText(lectern, second)) === text);
  assert.deepEqual(await rowsOf(lectern, second), await rowsOf(lectern, first));
});

/** What only some companies have; tests of these features move them. */
const rare: ReadonlySet<string> = new Set([
  "user_details",
  "group_rules",
  "memberships_by_rule",
  "group_assignment_due_dates",
  "path_details",
  "path_item_dates",
]);

test("a deleted thing's id is not used again in the company that it moves to", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  await importInto(lectern, acme, { users: [least.user(20), least.user(30)] });
  await acme.delete("/api/v1/users/30");
  await importInto(lectern, globex, await exportText(lectern, acme));
  const { body } = await globex.post("/api/v1/users", {
    name: "New",
    email: "new@example.com",
    role: "learner",
  });
  assert.equal(body.id, 31);
});

test("the webhook setting and the time zone move with a company", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  const settings = {
    lesson_completed_callback_url: "https://example.com/hook?a=b",
    lesson_completed_callback_authorization: "Bearer x",
  };
  await acme.put("/api/v1/company_settings", settings);
  await importInto(lectern, globex, await exportText(lectern, acme));
  const { body } = await globex.put("/api/v1/company_settings", {});
  assert.deepEqual(body, settings);
  await importInto(lectern, acme, {
    company: { time_zone: "Asia/Kolkata", lesson_completed_callback_url: null },
  });
  const { company } = await exportOf(lectern, acme);
  assert.deepEqual(company, { time_zone: "Asia/Kolkata", ...settings, last_ids: { users: 1 } });
});
