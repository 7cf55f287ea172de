import assert from "node:assert/strict";
import { test } from "node:test";
import { companyOfId } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import { readConfig } from "../config.ts";
import { createTestDatabase } from "../test/database.ts";
import { withLonger } from "../test/patience.ts";
import { connectForJobs } from "./database.ts";

test("two long jobs at once can both tell how far they are", async () => {
  // A try alone may meet a machine that stands still for as long as a connection is waited for.
  await withLonger([1, 2, 3], workTwice);
});

async function workTwice(): Promise<void> {
  await using database = await createTestDatabase();
  const { ownerUrl } = database;
  const config = readConfig({ DATABASE_URL: ownerUrl });
  await using connections = await connectForJobs(config, { servingUrl: ownerUrl, onEvents: () => undefined });
  const { long } = connections;
  const bothWork = Promise.withResolvers<void>();
  let working = 0;
  const work = () =>
    long.write(companyOfId(1), commandActor, async (tx) => {
      await tx.run("select 1", []);
      working += 1;
      if (working === 2) bothWork.resolve();
      await bothWork.promise;
      return long.write(companyOfId(1), commandActor, (other) => other.run("select 2 as told", []));
    });
  assert.deepEqual(await Promise.all([work(), work()]), [[{ told: 2 }], [{ told: 2 }]]);
}
