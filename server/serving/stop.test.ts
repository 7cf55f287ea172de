import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { createTestDatabase } from "../test/database.ts";
import { HeldWrites } from "../test/held.ts";
import { basic, runCommand, startLectern } from "../test/lectern.ts";
import { until } from "../test/patience.ts";

const company =
  "--subdomain acme --name Acme --admin-name Ada --admin-email ada@acme.test --admin-password correct-horse";

test("SIGTERM lets every request under way finish, in every process, and takes no new ones", async () => {
  await using database = await createTestDatabase();
  const settings = { DATABASE_URL: database.ownerUrl };
  const made = await runCommand(settings, ["company", "create", ...company.split(" "), "--json"]);
  const authorization = basic("acme", JSON.parse(made.stdout).api_key);
  await using lectern = await startLectern(settings, ["serve", "--workers", "2"]);
  await using held = await HeldWrites.hold(database.ownerUrl);
  const writing = Array.from({ length: 6 }, (_, index) => {
    const body = { name: "Slow", email: `slow${index}@acme.test`, role: "learner" };
    return lectern.request("/api/v1/users", { method: "POST", body, authorization });
  });
  await held.areWaitedFor(6);
  const ended = lectern.stop();
  await isClosed(lectern.address);
  await held.release();
  const answers = await Promise.all(writing);
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array.from({ length: 6 }, () => 201),
  );
  assert.equal(await ended, 0, lectern.lines.join("\n"));
});

/** Resolves when nobody listens any more. */
async function isClosed(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  await until("nobody listens", async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect(Number(port), hostname, () => resolve(true)).on("error", () => resolve(false));
    const isOpen = await promise;
    socket.destroy();
    return !isOpen;
  });
}
