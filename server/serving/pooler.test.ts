import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { createTestDatabase } from "../test/database.ts";
import { basic, runCommand, startLectern } from "../test/lectern.ts";
import { makeCompany } from "../test/load-school.ts";
import { until } from "../test/patience.ts";
import { skipWithoutPooler, startPooler } from "../test/pooler.ts";
import { isPooled } from "./pooler.ts";

/** Connections for two servers and their jobs: with fewer a slow machine has some of them wait for too long. */
const LENT = 10;

test(
  "two connections to PostgreSQL itself are told from two that a pooler lends",
  { skip: skipWithoutPooler },
  async () => {
    await using database = await createTestDatabase();
    await using pooler = await startPooler(database.ownerUrl, 3);
    assert.equal(await asksTwo(database.ownerUrl), false);
    assert.equal(await asksTwo(pooler.url), true);
  },
);

async function asksTwo(url: string): Promise<boolean> {
  const [one, other] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([one.connect(), other.connect()]);
  const answer = await isPooled(one, other);
  await Promise.all([one.end(), other.end()]);
  return answer;
}

test("what can't run behind a pooler says so, and what to set", { skip: skipWithoutPooler }, async () => {
  await using database = await createTestDatabase();
  await using pooler = await startPooler(database.ownerUrl, 3);
  const settings = {
    DATABASE_URL: pooler.url,
    DATABASE_POOLING: "transaction",
    PUBLIC_URL: "http://localhost",
  };
  const needsPostgres =
    "lectern: Migrations and jobs need PostgreSQL itself, and are led to a pooler in transaction mode. " +
    "Set DATABASE_OWNER_URL to the address of PostgreSQL, as the role that owns the tables.\n";
  for (const command of ["migrate", "work", "start"]) {
    const { code, stderr } = await runCommand({ ...settings, PORT: "0" }, [command]);
    assert.deepEqual({ code, stderr }, { code: 1, stderr: needsPostgres }, command);
  }
  const remembers = { ...settings, DATABASE_POOLING: "session", PORT: "0" };
  for (const command of [["serve"], ["company", "list"]]) {
    const { code, stderr } = await runCommand(remembers, command);
    const expected =
      "lectern: DATABASE_URL leads to a pooler in transaction mode. " +
      "Set DATABASE_POOLING=transaction, or let it name PostgreSQL itself.\n";
    assert.deepEqual({ code, stderr }, { code: 1, stderr: expected }, command.join(" "));
  }
});

test("who may have one connection alone is not asked for another", async () => {
  await using database = await createTestDatabase();
  const name = `alone_${process.pid}`;
  const owner = new pg.Client(database.ownerUrl);
  await owner.connect();
  await owner.query(`create role ${name} login password 'alone' connection limit 1 in role lectern_app`);
  const url = new URL(database.ownerUrl);
  [url.username, url.password] = [name, "alone"];
  const settings = { DATABASE_URL: url.href, DATABASE_OWNER_URL: database.ownerUrl };
  const listed = await runCommand(settings, ["company", "list", "--json"]);
  await owner.query(`drop role ${name}`);
  await owner.end();
  assert.deepEqual(listed, { code: 0, stdout: "[]\n", stderr: "" });
});

test("two servers and their jobs run behind a pooler", { skip: skipWithoutPooler }, async (t) => {
  await using database = await createTestDatabase();
  await using pooler = await startPooler(database.ownerUrl, LENT);
  const DATA_DIR = join(tmpdir(), `lectern-pooled-${process.pid}`);
  t.after(() => rm(DATA_DIR, { recursive: true, force: true }));
  const settings = {
    ...{ DATA_DIR, PUBLIC_URL: "http://127.0.0.1", DATABASE_POOLING: "transaction" },
    ...{ DATABASE_URL: pooler.url, DATABASE_OWNER_URL: database.ownerUrl },
  };
  const authorization = basic("acme", await makeCompany(settings, "acme"));
  await using one = await startLectern(settings);
  await using other = await startLectern(settings);
  await using worker = await startLectern(settings, ["work"], /^Lectern does the (jobs)/);
  let told: { readonly type: string }[] = [];
  // Asked again where nothing has come within the longest wait, as on a slow machine.
  const waits = until("who waits is told", async () => {
    const url = "/api/v2/events?after=0&wait=30&types=user.created";
    told = (await other.request(url, { authorization })).body.data;
    return told.length > 0;
  });
  const people = Array.from({ length: 40 }, (_, index) => ({
    ...{ name: `Person ${index}`, email: `person-${index}@example.com`, role: "learner" },
  }));
  const sent = await one.request("/api/v2/users/bulk", {
    method: "POST",
    authorization,
    body: { rows: people },
  });
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  const isDone = async (): Promise<boolean> => {
    const { body } = await other.request(`/api/v2/jobs/${sent.body.id}`, { authorization });
    return body.status === "done";
  };
  await until("the job is done", isDone);
  await waits;
  assert.equal(told[0]?.type, "user.created");
  const listed = await Promise.all(
    [one, other, one, other].map((lectern) => lectern.request("/api/v1/users", { authorization })),
  );
  assert.deepEqual(
    listed.map(({ status, body }) => [status, body.total_users]),
    listed.map(() => [200, 41]),
  );
  for (const lectern of [one, other, worker]) assert.equal(await lectern.stop(), 0);
  const { username } = new URL(database.ownerUrl);
  assert.deepEqual(await whoActsNow(pooler.url), Array(LENT).fill(username));
});

/** As whom the connections act that the pooler lends, after all that others have done on them. */
async function whoActsNow(url: string): Promise<unknown[]> {
  const clients = Array.from({ length: LENT }, () => new pg.Client(url));
  const asked = clients.map(async (client) => {
    await client.connect();
    // All are in a transaction at one time, so that each has another connection.
    await client.query("begin");
    return client;
  });
  const begun = await Promise.all(asked);
  const answers = await Promise.all(begun.map((client) => client.query("select current_user as name")));
  await Promise.all(begun.map((client) => client.end()));
  return answers.map(({ rows }) => rows[0]?.name);
}
