import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, Pool } from "pg";
import { openCluster } from "./cluster.ts";
import {
  ask,
  borrowData,
  makeFolder,
  postmasterPid,
  quiet,
  removeBorrowed,
  startBare,
  startOther,
} from "./fixture.ts";
import { PATIENCE_MS, until } from "../../test/patience.ts";
import { clusterName, openDataFolder } from "./folder.ts";
import { startPostmaster } from "./postmaster.ts";
import { birthOf, endProcess } from "./process.ts";
import { openEmbedded, type EmbeddedDatabase } from "./embedded.ts";

after(removeBorrowed);

test("after kill -9 of Lectern the next one stops the PostgreSQL it left and has every row it confirmed", async (t) => {
  const data = await borrowData(t);
  const killed = startOther(data, "server");
  await killed.says("ready");
  const confirmed = await writeUntil(data, () => killed.end("SIGKILL"));
  const orphan = await postmasterPid(data);
  assert.ok(await birthOf(orphan), "PostgreSQL outlives Lectern");
  const lines: string[] = [];
  await using database = await openEmbedded(data, "server", (line) => lines.push(line));
  assert.deepEqual(lines, [
    `Stopping the PostgreSQL (process ${orphan}) that a killed Lectern has left behind.`,
  ]);
  assert.equal(await birthOf(orphan), undefined);
  await assertHas(database, confirmed);
});

test("after kill -9 of PostgreSQL it is started again on the same address, with every confirmed row", async (t) => {
  const data = await borrowData(t);
  const lines: string[] = [];
  await using database = await openEmbedded(data, "server", (line) => lines.push(line));
  const pool = new Pool(database.owner);
  pool.on("error", quiet);
  await pool.query("create table survivors (n int)");
  for (let n = 0; n < 3; n++) {
    await pool.query("insert into survivors values ($1)", [n]);
    const killed = await postmasterPid(data);
    process.kill(killed, "SIGKILL");
    const begun = performance.now();
    await eventually(async () => assert.notEqual(await postmasterPid(data), killed));
    await eventually(() => pool.query("select 1"));
    t.diagnostic(`answers again after ${Math.round(performance.now() - begun)} ms`);
  }
  assert.deepEqual((await pool.query("select n from survivors order by n")).rows, [
    { n: 0 },
    { n: 1 },
    { n: 2 },
  ]);
  await pool.end();
  assert.equal(lines.length, 3);
  for (const line of lines) assert.match(line, /^PostgreSQL has ended unexpectedly \(.*signal SIGKILL/);
});

/** For five crashes and as many restarts, each of which a slow machine takes seconds for. In milliseconds. */
const timeout = 240_000;

test(
  "a PostgreSQL that crashes again and again is given up, and the folder is free afterwards",
  { timeout },
  async (t) => {
    const data = await borrowData(t);
    const database = await openEmbedded(data, "server", quiet);
    // It gives up where the crashes are all within a minute, which a slow machine would take for as many restarts.
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
    let failure: Error | undefined;
    void database.failed.then((error) => (failure = error));
    for (let crash = 1; crash <= 5; crash++) {
      await eventually(() => ask(database.owner, "select 1"));
      assert.equal(failure, undefined);
      process.kill(await postmasterPid(data), "SIGKILL");
      await sleep(50);
    }
    assert.match(
      (await database.failed).message,
      /^PostgreSQL has crashed 5 times within 60 s \(the last time: .*signal SIGKILL.*\)\. See .*postgres\.log\.$/s,
    );
    await database[Symbol.asyncDispose]();
    await using next = await openEmbedded(data, "server", quiet);
    assert.deepEqual(await ask(next.owner, "select 1"), [1]);
  },
);

test("after kill -9 of both, with busy sessions, the next start needs no hand", async (t) => {
  const data = await borrowData(t);
  const killed = startOther(data, "server");
  await killed.says("ready");
  const { owner } = await openEmbedded(data, "command", quiet);
  const busy = new Client(owner);
  busy.on("error", quiet);
  await busy.connect();
  const endless = busy.query("select count(*) from generate_series(1, 1e12)").catch(quiet);
  const postmaster = await postmasterPid(data);
  await killed.end("SIGKILL");
  process.kill(postmaster, "SIGKILL");
  await using database = await openEmbedded(data, "server", quiet);
  assert.deepEqual(await ask(database.owner, "select 1"), [1]);
  await endless;
});

test("a stop in the middle of a restart leaves nothing running", async (t) => {
  const data = await borrowData(t);
  const lines: string[] = [];
  const database = await openEmbedded(data, "server", (line) => lines.push(line));
  process.kill(await postmasterPid(data), "SIGKILL");
  await until("the restart", () => lines.length > 0);
  await sleep(30);
  await database[Symbol.asyncDispose]();
  assert.deepEqual((await readdir(data)).toSorted(), ["postgres", "postgres.log", "postgres.password"]);
  assert.deepEqual(await processesOf(data), []);
});

test("a stale postmaster.pid is seen through, also when another process has its number", async (t) => {
  const data = await borrowData(t);
  const file = join(data, "postgres", "postmaster.pid");
  const bystander = spawn("sleep", ["3600"], { stdio: "ignore", ...(await ownerOf(data)) });
  t.after(() => bystander.kill("SIGKILL"));
  for (const pid of [bystander.pid, 2 ** 22 + 1, "nonsense"]) {
    await writeFile(file, `${pid}\n/proc/self/cwd\n1700000000\n54321\n\n127.0.0.1\n 1 1\nready   \n`);
    const command = await openEmbedded(data, "command", quiet);
    assert.notEqual(command.owner.port, 54321);
    await command[Symbol.asyncDispose]();
  }
  assert.equal(bystander.exitCode ?? bystander.signalCode, null, "it was left alone");
});

test("a PostgreSQL that somebody else runs on the folder is neither used nor stopped", async (t) => {
  const data = await borrowData(t);
  const theirs = await startBare(t, data);
  await assert.rejects(openEmbedded(data, "server", quiet), {
    name: "OperatorError",
    message: new RegExp(
      `^A PostgreSQL \\(process ${theirs.pid}\\) that Lectern has not started runs on .* Stop it first\\.`,
    ),
  });
  assert.equal(theirs.exitCode, null);
});

test("a first start that was killed while it made the database is made up for", async (t) => {
  const data = await killWhileMaking(t);
  await using database = await openEmbedded(data, "server", quiet);
  assert.deepEqual(await ask(database.owner, "select 1"), [1]);
  const names = await readdir(data);
  assert.deepEqual(names.filter((name) => name.startsWith("postgres")).toSorted(), [
    "postgres",
    "postgres.log",
    "postgres.password",
  ]);
});

test("a port that another program has taken meanwhile is waited for", async (t) => {
  const data = await borrowData(t);
  const cluster = await openCluster(await openDataFolder(data), quiet);
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  assert.ok(address !== null && typeof address !== "string");
  const starting = startPostmaster(cluster, address.port);
  await sleep(500);
  other.close();
  const { program, address: found } = await starting;
  assert.equal(found.port, address.port);
  assert.deepEqual(await ask(found, "select 1"), [1]);
  await endProcess(program.pid ?? 0, [["SIGINT", 10_000]]);
});

/** Kills a first start before the database is whole, in the next new folder where it was already. @returns the folder. */
async function killWhileMaking(t: TestContext): Promise<string> {
  for (let tries = 1; tries <= 10; tries += 1) {
    const data = join(await makeFolder(t), "data");
    const killed = startOther(data, "server");
    await eventually(async () =>
      assert.ok((await readdir(data)).some((name) => /^postgres(\.new-.*)?$/.test(name))),
    );
    await killed.end("SIGKILL");
    if (!(await readdir(data)).includes("postgres")) return data;
  }
  throw new Error("it was too quick to be killed in the middle");
}

/** Writes rows one by one while something happens, and gives the last number that was confirmed. */
async function writeUntil(data: string, happen: () => Promise<void>): Promise<number> {
  const { owner } = await openEmbedded(data, "command", quiet);
  const client = new Client(owner);
  await client.connect();
  await client.query("create table confirmed (n int)");
  let n = 0;
  await client.query("insert into confirmed values ($1)", [n++]);
  const over = new AbortController();
  const happened = sleep(200).then(happen);
  void happened.finally(() => over.abort());
  while (!over.signal.aborted) await client.query("insert into confirmed values ($1)", [n++]);
  await happened;
  await client.end();
  return n - 1;
}

async function assertHas(database: EmbeddedDatabase, last: number): Promise<void> {
  const counts = await ask(database.owner, "select count(*)::int || ' ' || max(n) from confirmed");
  assert.deepEqual(counts, [`${last + 1} ${last}`]);
}

async function eventually(check: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(10);
    }
  }
}

async function ownerOf(data: string): Promise<{ uid?: number; gid?: number }> {
  return (await openCluster(await openDataFolder(data), quiet)).runAs;
}

/** Every process that carries the mark of the folder's cluster in its command line or title. */
async function processesOf(data: string): Promise<string[]> {
  const mark = await clusterName(await openDataFolder(data));
  const found: string[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (line.includes(mark)) found.push(line);
  }
  return found;
}
