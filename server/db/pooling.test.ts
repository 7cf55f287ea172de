import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { commandActor } from "../companies/create.ts";
import { companyOfId } from "../companies/companies.ts";
import { createTestDatabase } from "../test/database.ts";
import { PATIENCE_MS } from "../test/patience.ts";
import { skipWithoutPooler, startPooler } from "../test/pooler.ts";
import { startServer } from "../test/server.ts";
import { Database, type DatabaseOptions } from "./db.ts";

/** Without a limit of ours it would wait for ever. */
const waits = { timeout: PATIENCE_MS };
/** Where a pooler has its clients share what is set on a connection, everything is set for a transaction. */
const behindPooler = { pooling: "transaction", statementTimeoutMs: 12_345, clock: () => new Date() } as const;

test("behind a pooler what belongs to no company has its settings too", async () => {
  await using given = await createTestDatabase();
  await using database = open({ url: given.ownerUrl, role: given.role, synchronousCommit: "off" });
  const settings = await database.global((db) =>
    sql<object>`select current_user as role, current_setting('timezone') as time_zone,
      current_setting('statement_timeout') as most, current_setting('synchronous_commit') as commits,
      nullif(current_setting('app.company_id', true), '0') as company_id`.execute(db),
  );
  assert.deepEqual(settings.rows, [
    { role: given.role, time_zone: "UTC", most: "12345ms", commits: "off", company_id: null },
  ]);
});

test("behind a pooler no statement is left on a connection", async () => {
  await using given = await createTestDatabase();
  await using database = open({ url: given.ownerUrl, role: given.role, connections: 1 });
  const ask = () =>
    database.read(companyOfId(1), (tx) => tx.run("select name from pg_prepared_statements", []));
  await ask();
  assert.deepEqual(await ask(), []);
});

test("a pooler with no connection to lend is waited for no longer than one of our own", waits, async () => {
  await using stack = new AsyncDisposableStack();
  const sockets: Socket[] = [];
  const silent = createServer((socket) => {
    sockets.push(socket);
    // Whoever comes is signed in, and never hears anything again.
    socket.once("data", () => socket.write(Buffer.from("5200000008000000005a0000000549", "hex")));
  }).listen(0, "127.0.0.1");
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  await once(silent, "listening");
  const address = silent.address();
  if (address === null || typeof address === "string") throw new Error("it has a port");
  const url = `postgres://nobody:none@127.0.0.1:${address.port}/none`;
  const database = stack.use(open({ url, acquireTimeoutMs: 500 }));
  const began = performance.now();
  const reads = database.read(companyOfId(1), (tx) => tx.run("select 1", []));
  const writes = database.write(companyOfId(1), commandActor, async (tx) => tx.run("select 1", []));
  // Together, as either may be told first.
  await Promise.all([
    assert.rejects(reads, /Connection terminated/),
    assert.rejects(writes, /Connection terminated/),
  ]);
  const tookMs = performance.now() - began;
  assert.ok(tookMs > 400, `${tookMs} ms`);
});

test("who stood still reads what has come meanwhile before it says that nothing did", waits, async () => {
  await using given = await createTestDatabase();
  await using database = open({ url: given.ownerUrl, role: given.role, acquireTimeoutMs: 500 });
  const ask = () => database.read(companyOfId(1), (tx) => tx.run("select 1 as one", []));
  await ask();
  const asked = ask();
  // By then it is sent.
  await setImmediate();
  const end = performance.now() + 1_000;
  while (performance.now() < end);
  assert.deepEqual(await asked, [{ one: 1 }]);
});

test(
  "clients of a pooler disturb nobody, and see their own company alone",
  { skip: skipWithoutPooler },
  async () => {
    await using lectern = await startServer();
    const { acme, globex, ownerUrl } = lectern;
    await using pooler = await startPooler(ownerUrl, 2);
    await using stack = new AsyncDisposableStack();
    const processes = [1, 2, 3].map(() =>
      stack.use(open({ url: pooler.url, role: "lectern_app", connections: 4 })),
    );
    const visit = async (turn: number): Promise<void> => {
      const database = processes[turn % processes.length];
      const { company } = turn % 2 === 0 ? acme : globex;
      if (database === undefined) throw new Error("there are three");
      // No condition: the wall alone decides. Each turn has a statement of its own, and every third one fails midway.
      const seen = await database.read(company, (tx) =>
        tx.run<{ company_id: number }>(`select company_id, ${turn} from users`, []),
      );
      assert.deepEqual(
        seen.map(({ company_id }) => company_id),
        [company.id],
      );
      const writes = database.write(company, commandActor, async (tx) => {
        await tx.run(`update users set job_title = '${turn}' where company_id = ${company.id}`, []);
        if (turn % 3 === 0) await tx.run("select 1 / 0", []);
      });
      await (turn % 3 === 0 ? assert.rejects(writes, /division by zero/) : writes);
      const [stray] = await database.global((db) =>
        sql<{ count: number }>`select count(*) from users`.execute(db).then(({ rows }) => rows),
      );
      assert.equal(stray?.count, 0);
    };
    for (let turn = 0; turn < 60; turn += 12)
      await Promise.all(Array.from({ length: 12 }, (_, index) => visit(turn + index)));
  },
);

function open(options: Pick<DatabaseOptions, "url"> & Partial<DatabaseOptions>): Database {
  return new Database({ connections: 2, ...behindPooler, acquireTimeoutMs: PATIENCE_MS, ...options });
}
