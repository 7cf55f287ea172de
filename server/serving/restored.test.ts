import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { startCluster, type StartedCluster } from "../test/cluster.ts";
import { runCommand, startLectern } from "../test/lectern.ts";
import { until } from "../test/patience.ts";

// A PostgreSQL of its own: roles belong to all its databases.
let cluster: StartedCluster;
let folder: string;
before(async () => {
  cluster = await startCluster();
  folder = await mkdtemp(join(tmpdir(), "lectern-restored-"));
});
after(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

const lacking =
  "lectern: The role lectern_app is missing, or may not read the tables. After a restore: make an empty database, " +
  'run "create role lectern_app", and restore the dump into it once more.\n';

test("a dump that was restored without the serving role is told apart", async () => {
  const settings = { DATABASE_URL: cluster.url, DATA_DIR: folder, PORT: "0" };
  assert.equal((await runCommand(settings, ["migrate"])).code, 0);
  // What a dump holds without the role: no grants.
  await query("drop owned by lectern_app; drop role lectern_app");
  const refused = { code: 1, stdout: "", stderr: lacking };
  assert.deepEqual(await runCommand(settings, ["migrate"]), refused);
  assert.deepEqual(await runCommand(settings, ["serve"]), refused);
  await query("create role lectern_app");
  assert.deepEqual(await runCommand(settings, ["serve"]), refused);
  await query("drop schema public cascade; drop schema graphile_worker cascade; create schema public");
});

test("who starts without the secret that webhooks were sealed under is told so", async () => {
  const settings = { DATABASE_URL: cluster.url, DATA_DIR: folder };
  const warning = /^SECRET_KEY, or secret\.key in DATA_DIR, is not the one that this database was used with/;
  const secrets = { before: "a".repeat(40), after: "b".repeat(40) };
  const create =
    "company create --subdomain acme --name Acme --admin-name Ada --admin-email ada@acme.test --admin-password correct-horse --json";
  assert.equal((await runCommand(settings, ["migrate"])).code, 0);
  const made = await runCommand(settings, create.split(" "));
  const authorization = `Bearer ${JSON.parse(made.stdout).api_key}`;
  {
    await using first = await startLectern({ ...settings, SECRET_KEY: secrets.before }, ["start"]);
    const body = { url: "https://hooks.example.com/", types: ["*"] };
    const { status } = await first.request("/api/v2/webhooks", { method: "POST", authorization, body });
    assert.equal(status, 201);
    await first.stop();
  }
  for (const [key, isTold] of [
    [secrets.before, false],
    [secrets.after, true],
  ] as const) {
    await using again = await startLectern({ ...settings, SECRET_KEY: key }, ["start"]);
    const hasTold = (): boolean => again.lines.some((line) => warning.test(line));
    if (isTold) await until("the warning", hasTold);
    await again.stop();
    assert.equal(hasTold(), isTold, again.lines.join("\n"));
  }
});

async function query(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await client.query(text);
  await client.end();
}
