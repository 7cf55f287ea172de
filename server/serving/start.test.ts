import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openEmbedded } from "../db/embedded/embedded.ts";
import { HeldWrites } from "../test/held.ts";
import { basic, removeData, runCommand, startLectern } from "../test/lectern.ts";

let folder: string;
let settings: { DATA_DIR: string };
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "lectern start ü-"));
  settings = { DATA_DIR: join(folder, "data") };
});
after(async () => {
  for (const data of ["data", "other"]) await removeData(join(folder, data));
  await rm(folder, { recursive: true, force: true });
});

/** What a first start has printed, for the tests that come back to the same folder. */
let demo: { subdomain: string; key: string };

test("the first start makes everything, and prints a call that works when pasted", async () => {
  await using lectern = await startLectern(settings, ["start"]);
  const [, subdomain = "", key = "", url = ""] = await lectern.says(/^ {2}curl -u ([a-z]+):(\S+) (\S+)$/);
  demo = { subdomain, key };
  assert.ok(url.startsWith(`${lectern.address}/api/v1/`), url);
  const pasted = await fetch(url, { headers: { authorization: basic(subdomain, key) } });
  assert.equal(pasted.status, 200);
  assert.ok(lectern.lines.includes(`  Company    ${subdomain}`));
  assert.ok(lectern.lines.includes(`  API key    ${key}   (shown this once)`));
  assert.equal(await lectern.stop(), 0);
});

test("a second start keeps everything and makes no second demo; its commands work beside it", async () => {
  await using lectern = await startLectern(settings, ["start"]);
  assert.equal((await lectern.request("/api/v1/ping", authorize())).status, 200);
  const listed = await runCommand(settings, ["company", "list", "--json"]);
  const companies: { subdomain: string }[] = JSON.parse(listed.stdout);
  assert.deepEqual(
    companies.map(({ subdomain }) => subdomain),
    [demo.subdomain],
  );

  const second = await runCommand({ ...settings, PORT: "0" }, ["start"]);
  assert.equal(second.code, 1);
  assert.match(
    second.stderr,
    /^lectern: Another Lectern \(process \d+\) is already running on .+ Stop it first, or choose another DATA_DIR\.\n$/,
  );
  assert.equal((await lectern.request("/api/v1/ping", authorize())).status, 200);
  assert.equal(await lectern.stop(), 0);
  assert.ok(!lectern.lines.some((line) => line.includes("curl")), "a key is shown once");
});

test("while no server runs, a command starts the database for itself and stops it again", async () => {
  const listed = await runCommand(settings, ["company", "list", "--json"]);
  // That it waits for PostgreSQL is said where that takes more than a second, as it does on a slow machine.
  const stderr = listed.stderr.replace(/^Waiting for PostgreSQL to stop\.\n$/, "");
  assert.deepEqual({ code: listed.code, stderr }, { code: 0, stderr: "" });
  assert.equal(JSON.parse(listed.stdout).length, 1);
});

test("a port in use is said, and the database is stopped again", async () => {
  await using taken = await startLectern(settings, ["start"]);
  const PORT = new URL(taken.address).port;
  const other = { DATA_DIR: join(folder, "other"), PORT };
  const { code, stdout, stderr } = await runCommand(other, ["start"]);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
  assert.ok(
    stderr.endsWith(
      `lectern: PORT=${PORT} of 127.0.0.1 is in use by another program. Stop it, or set PORT to another port.\n`,
    ),
    stderr,
  );
  // Only who holds the folder could start it, so nothing of the failed start is left.
  const freed = await openEmbedded(other.DATA_DIR, "server", () => undefined);
  await freed[Symbol.asyncDispose]();
  assert.equal(await taken.stop(), 0);
});

test("Ctrl-C, also pressed twice, lets a request under way finish before the database stops", async () => {
  await using lectern = await startLectern(settings, ["start"]);
  await using embedded = await openEmbedded(settings.DATA_DIR, "command", () => undefined);
  await using held = await HeldWrites.hold(embedded.owner);
  const body = { name: "Slow", email: "slow@example.com", role: "learner" };
  const writing = lectern.request("/api/v1/users", { method: "POST", body, ...authorize() });
  await held.areWaitedFor(1);
  process.kill(-lectern.pid, "SIGINT");
  const ended = lectern.interrupt();
  await held.release();
  assert.equal((await writing).status, 201);
  assert.equal(await ended, 0, lectern.lines.join("\n"));
});

function authorize() {
  return { authorization: basic(demo.subdomain, demo.key) };
}
