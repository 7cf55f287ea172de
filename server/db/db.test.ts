import assert from "node:assert/strict";
import { test } from "node:test";
import { commandActor } from "../companies/create.ts";
import { locksAreAwaited } from "../test/lock-waits.ts";
import { startServer } from "../test/server.ts";
import { kinds, lockCounters } from "./counters.ts";

test("what goes on after a transaction has failed writes nothing", async () => {
  await using lectern = await startServer();
  const { database, acme } = lectern;
  let late: Promise<unknown> | undefined;
  const fails = database.write(acme.company, commandActor, async (tx) => {
    const rename = (name: string): Promise<unknown> =>
      tx.sql.updateTable("companies").set({ name }).where("company_id", "=", acme.company.id).execute();
    late = rename("inside").then(async () => {
      await fails.catch(() => undefined);
      return rename("outside");
    });
    await rename("begun");
    throw new Error("one of several steps failed");
  });
  await assert.rejects(fails, /one of several steps failed/);
  await assert.rejects(late ?? Promise.resolve(), /the transaction has ended/);
  const { name } = await database.read(acme.company, (tx) =>
    tx.sql
      .selectFrom("companies")
      .select("name")
      .where("company_id", "=", acme.company.id)
      .executeTakeFirstOrThrow(),
  );
  assert.equal(name, "acme");
});

test("a write whose failed statement is ignored is not taken for done", async () => {
  await using lectern = await startServer();
  const { database, acme } = lectern;
  const ignores = database.write(acme.company, commandActor, async (tx) => {
    await tx.run("select 1 / 0", []).catch(() => undefined);
  });
  await assert.rejects(ignores, /rolled back/);
});

test("a write that ends with an event and one that locks every counter take turns", async () => {
  await using lectern = await startServer();
  const { make, acme } = lectern;
  let all: Promise<unknown> | undefined;
  await make.write(acme, async (tx) => {
    await lockCounters(tx, "lessons");
    all = make.write(acme, (other) => lockCounters(other, ...kinds));
    await locksAreAwaited(lectern, 1);
    tx.changes.add({ type: "lesson.updated", resource_id: null, user_id: null, data: {} });
  });
  await all;
});

test("a statement gives the same rows when it is asked again, also after it has failed", async () => {
  await using lectern = await startServer();
  const { database, acme } = lectern;
  const text = `select 7::bigint as id, null::text as nothing, array[1, 2] as list, true as is_true,
    '2026-01-02 03:04:05.123456+00'::timestamptz as at, 1 / $1::integer as quotient`;
  const row = {
    id: 7,
    nothing: null,
    list: [1, 2],
    is_true: true,
    at: "2026-01-02 03:04:05.123456+00",
    quotient: 1,
  };
  await database.read(acme.company, async (tx) => {
    assert.deepEqual(await tx.run(text, [1]), [row]);
    assert.deepEqual(await tx.run(text, [1]), [row]);
    await assert.rejects(tx.run(text, [0]), /division by zero/);
    assert.deepEqual(await tx.run(text, [1]), [row]);
    assert.deepEqual(await tx.run(`${text} where $1 > 1`, [1]), []);
    assert.deepEqual(await tx.run(`${text} where $1 > 1`, [1]), []);
  });
});
