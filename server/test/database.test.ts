import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { SERVING_ROLE } from "../db/migrate.ts";
import { makeContent } from "./content.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { startServer, type TestServer } from "./server.ts";
import { listTables } from "./walls.ts";

test("the catalogue", async (t) => {
  await using database = await createTestDatabase();
  await using owner = await connect(database);
  await t.test(
    "every table of a company has company_id first in its keys, its foreign keys and its indexes",
    () => putsTheCompanyFirst(owner),
  );
  await t.test("no reference leaves its company, and none is loosened", () => keepsReferencesInside(owner));
  await t.test(
    "nothing happens behind the code's back: no triggers, no rules, no numbers that a table takes by itself",
    () => hasNothingHidden(owner),
  );
  await t.test("row-level security is on, forced, and the same for every table of a company", () =>
    hasTheSecondWall(owner),
  );
  await t.test("tables of no company are few, and say no more than where a company is found", () =>
    hasFewSharedTables(owner),
  );
  await t.test("the role that serves owns nothing and can't pass the wall", () =>
    boundsTheServingRole(owner),
  );
});

async function putsTheCompanyFirst(owner: pg.Client): Promise<void> {
  const tables = await listTables(owner);
  assert.ok(tables.length > 20);
  const { rows: indexes } = await owner.query<{
    table: string;
    index: string;
    first: string | null;
    unique: boolean;
  }>(
    `select t.relname as table, i.relname as index, a.attname as first, x.indisunique as unique
   from pg_index x
   join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
   left join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
   where t.relnamespace = 'public'::regnamespace`,
  );
  for (const table of tables) {
    const own = indexes.filter((index) => index.table === table);
    assert.notEqual(own.length, 0, `${table} has a primary key`);
    for (const { index, first } of own) assert.equal(first, "company_id", `the first column of ${index}`);
  }
  const { rows: withoutKey } = await owner.query(
    `select relname from pg_class t where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
   and not exists (select from pg_constraint c where c.conrelid = t.oid and c.contype = 'p')`,
  );
  assert.deepEqual(withoutKey, []);
}

async function keepsReferencesInside(owner: pg.Client): Promise<void> {
  const tables = new Set(await listTables(owner));
  const { rows: references } = await owner.query<Reference>(
    `select c.conname as name, t.relname as table, r.relname as referred, c.condeferrable as deferrable,
       c.confdeltype as on_delete, c.confupdtype as on_update, a.attname as first, b.attname as referred_first
     from pg_constraint c
     join pg_class t on t.oid = c.conrelid join pg_class r on r.oid = c.confrelid
     join pg_attribute a on a.attrelid = t.oid and a.attnum = c.conkey[1]
     join pg_attribute b on b.attrelid = r.oid and b.attnum = c.confkey[1]
     where c.contype = 'f' and t.relnamespace = 'public'::regnamespace`,
  );
  assert.ok(references.length > 20);
  for (const reference of references) {
    assert.ok(
      tables.has(reference.table) && tables.has(reference.referred),
      `${reference.name} stays within a company`,
    );
    assert.deepEqual(
      [reference.first, reference.referred_first],
      ["company_id", "company_id"],
      reference.name,
    );
    assert.equal(reference.deferrable, false, reference.name);
    assert.ok(
      !["n", "d"].includes(reference.on_delete),
      `${reference.name} sets nothing when a row is deleted`,
    );
    assert.equal(reference.on_update, "a", `${reference.name}: a key is never changed`);
  }
  const { rows: deferrable } = await owner.query("select conname from pg_constraint where condeferrable");
  assert.deepEqual(deferrable, []);
}

async function hasNothingHidden(owner: pg.Client): Promise<void> {
  const { rows: triggers } = await owner.query(
    `select tgname from pg_trigger join pg_class t on t.oid = tgrelid
   where not tgisinternal and t.relnamespace = 'public'::regnamespace`,
  );
  assert.deepEqual(triggers, []);
  const { rows: rules } = await owner.query("select rulename from pg_rules where schemaname = 'public'");
  assert.deepEqual(rules, []);
  const { rows: numbered } = await owner.query(
    `select t.relname, a.attname from pg_attribute a join pg_class t on t.oid = a.attrelid
   left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where t.relnamespace = 'public'::regnamespace
     and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like '%nextval%')`,
  );
  assert.deepEqual(numbered, []);
  const { rows: sequences } = await owner.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace",
  );
  assert.deepEqual(sequences, [{ name: "company_ids" }]);
}

async function hasTheSecondWall(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query(
    `select t.relname as table, t.relrowsecurity as on, t.relforcerowsecurity as forced,
       p.polcmd as command, p.polpermissive as permissive, p.polroles::text as roles,
       pg_get_expr(p.polqual, t.oid) as condition, pg_get_expr(p.polwithcheck, t.oid) as check
     from pg_class t left join pg_policy p on p.polrelid = t.oid
     where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') order by 1`,
  );
  const tables = new Set(await listTables(owner));
  for (const { table, ...policy } of rows.filter((row) => tables.has(row.table))) {
    const condition =
      "(company_id = (NULLIF(current_setting('app.company_id'::text, true), ''::text))::bigint)";
    const expected = {
      on: true,
      forced: true,
      command: "*",
      permissive: true,
      roles: "{0}",
      condition,
      check: null,
    };
    assert.deepEqual(policy, expected, table);
  }
  const { rows: views } = await owner.query(
    "select relname from pg_class where relkind in ('v', 'm') and relnamespace = 'public'::regnamespace",
  );
  assert.deepEqual(views, [], "a view would be read with its owner's rights");
}

async function hasFewSharedTables(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class t where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
     and not exists (select from pg_attribute where attrelid = t.oid and attname = 'company_id') order by 1`,
  );
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["api_key_hashes", "leases", "maintenance", "migrations", "rate_windows", "subdomains"],
  );
}

async function boundsTheServingRole(owner: pg.Client): Promise<void> {
  const { rows: roles } = await owner.query(
    `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication from pg_roles where rolname = $1`,
    [SERVING_ROLE],
  );
  const none = {
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
  };
  assert.deepEqual(roles, [none]);
  const { rows: owned } = await owner.query("select relname from pg_class where relowner = $1::regrole", [
    SERVING_ROLE,
  ]);
  assert.deepEqual(owned, []);
  const { rows: memberships } = await owner.query(
    "select roleid from pg_auth_members where member = $1::regrole",
    [SERVING_ROLE],
  );
  assert.deepEqual(memberships, []);
  const { rows: privileges } = await owner.query<{ name: string; privilege: string }>(
    `select table_name as name, privilege_type as privilege from information_schema.role_table_grants
     where grantee = $1 and table_schema = 'public'
       and privilege_type not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')`,
    [SERVING_ROLE],
  );
  assert.deepEqual(privileges, [], "TRUNCATE passes every policy");
}

interface Reference {
  readonly name: string;
  readonly table: string;
  readonly referred: string;
  readonly deferrable: boolean;
  readonly on_delete: string;
  readonly on_update: string;
  readonly first: string;
  readonly referred_first: string;
}

test("the second wall", async (t) => {
  await using lectern = await startServer();
  await fill(lectern);
  await using owner = await connect(lectern);
  await t.test("with no company set every table is empty and takes nothing", () =>
    showsNothingToNobody(lectern, owner),
  );
  await t.test(
    "with one company set, another's rows can't be read, changed, deleted, made or referred to",
    () => keepsCompaniesApart(lectern, owner),
  );
  await t.test("no row can refer to another company's: not even the owner of the tables can store that", () =>
    refusesForeignReferences(lectern, owner),
  );
  await t.test("the audit log can be added to and read, and that is all", () => keepsTheAudit(lectern));
});

async function showsNothingToNobody(lectern: TestServer, owner: pg.Client): Promise<void> {
  await using serving = await connect(lectern, SERVING_ROLE);
  for (const table of await listTables(owner)) {
    const name = pg.escapeIdentifier(table);
    const { rows: filled } = await owner.query(`select from ${name} limit 1`);
    assert.equal(filled.length, 1, `the test fills ${table}`);
    const { rowCount } = await serving.query(`select from ${name}`);
    assert.equal(rowCount, 0, table);
    const copy = await copyOfRow(owner, { table, company_id: lectern.acme.company.id });
    assert.equal(
      await stateOf(serving, `insert into ${name} select * from jsonb_populate_record(null::${name}, $1)`, [
        copy,
      ]),
      REFUSED,
      table,
    );
  }
}

async function keepsCompaniesApart(lectern: TestServer, owner: pg.Client): Promise<void> {
  await using serving = await connect(lectern, SERVING_ROLE);
  const { acme, globex } = lectern;
  await serving.query(`select set_config('app.company_id', $1, false)`, [String(acme.company.id)]);
  const theirs = globex.company.id;
  for (const table of await listTables(owner)) {
    const name = pg.escapeIdentifier(table);
    const { rowCount: own } = await serving.query(
      `select from ${name} where company_id = ${acme.company.id}`,
    );
    assert.notEqual(own, 0, `${table} shows one's own rows`);
    const { rows } = await serving.query(`select distinct company_id::int from ${name}`);
    assert.deepEqual(rows, [{ company_id: acme.company.id }], table);
    const copy = await copyOfRow(owner, { table, company_id: theirs });
    assert.equal(
      await stateOf(serving, `insert into ${name} select * from jsonb_populate_record(null::${name}, $1)`, [
        copy,
      ]),
      REFUSED,
      table,
    );
    if (table === "audit_log") continue;
    for (const text of [
      `update ${name} set company_id = company_id where company_id = ${theirs}`,
      `delete from ${name} where company_id = ${theirs}`,
    ]) {
      const { rowCount } = await serving.query(text);
      assert.equal(rowCount, 0, text);
    }
    // Nor can a row be moved to the other company.
    assert.equal(await stateOf(serving, `update ${name} set company_id = ${theirs}`), REFUSED, table);
  }
}

async function refusesForeignReferences(lectern: TestServer, owner: pg.Client): Promise<void> {
  // A user that only globex has.
  const { body: user } = await lectern.globex.post("/api/v1/users", {
    name: "Only",
    email: "only@example.com",
    role: "learner",
  });
  const { rows: references } = await owner.query<{ table: string; column: string }>(
    `select t.relname as table, a.attname as column from pg_constraint c join pg_class t on t.oid = c.conrelid
   join pg_attribute a on a.attrelid = t.oid and a.attnum = c.conkey[2]
   where c.contype = 'f' and c.confrelid = 'users'::regclass`,
  );
  assert.ok(references.length >= 5);
  for (const { table, column } of references) {
    const name = pg.escapeIdentifier(table);
    const text = `update ${name} set ${pg.escapeIdentifier(column)} = ${user.id}
    where ctid = (select ctid from ${name} where company_id = ${lectern.acme.company.id} limit 1)`;
    assert.equal(await stateOf(owner, text), "23503", text);
  }
}

async function keepsTheAudit(lectern: TestServer): Promise<void> {
  await using serving = await connect(lectern, SERVING_ROLE);
  await serving.query(`select set_config('app.company_id', $1, false)`, [String(lectern.acme.company.id)]);
  const { rowCount } = await serving.query("select from audit_log");
  assert.notEqual(rowCount, 0);
  assert.equal(await stateOf(serving, "update audit_log set action = 'nothing'"), REFUSED);
  assert.equal(await stateOf(serving, "delete from audit_log"), REFUSED);
  assert.equal(await stateOf(serving, "truncate audit_log"), REFUSED);
}

/** insufficient_privilege: what a policy or a missing grant refuses. */
const REFUSED = "42501";

/** The SQLSTATE that a statement fails with; none when it does not. Nothing of it stays. */
async function stateOf(client: pg.Client, text: string, values: unknown[] = []): Promise<string | undefined> {
  try {
    await client.query("begin");
    await client.query(text, values);
    return undefined;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.code;
    throw error;
  } finally {
    await client.query("rollback");
  }
}

async function copyOfRow(
  owner: pg.Client,
  { table, company_id }: { table: string; company_id: number },
): Promise<string | undefined> {
  const { rows } = await owner.query<{ row: string }>(
    `select to_jsonb(t)::text as row from ${pg.escapeIdentifier(table)} t where company_id = ${company_id} limit 1`,
  );
  return rows[0]?.row;
}

/** Puts rows into every table of both companies. */
async function fill(lectern: TestServer): Promise<void> {
  for (const client of [lectern.acme, lectern.globex]) {
    const content = await makeContent(lectern, client, client.company.subdomain);
    await lectern.make.write(client, async (tx) => {
      const of = { company_id: tx.company.id, user_id: content.user_id };
      const on = { assignable_type: "Lesson", assignable_id: content.lesson_id } as const;
      await tx.sql
        .insertInto("library_uses")
        .values({ ...of, ...on, views: 1, completions: 0 })
        .execute();
    });
  }
}

async function connect(
  { ownerUrl }: Pick<TestDatabase, "ownerUrl">,
  role?: string,
): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  if (role !== undefined) await client.query(`set role ${pg.escapeIdentifier(role)}`);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
