import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { HeldLock, takeLock } from "./lock.ts";
import { birthOf } from "./process.ts";
import { until } from "../../test/patience.ts";

async function makeLockFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-lock-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "lectern.lock");
}

test("a lock that is held names its holder, and is free when released", async (t) => {
  const file = await makeLockFile(t);
  const lock = await takeLock(file, "server");
  assert.ok(lock instanceof HeldLock);
  assert.deepEqual(await takeLock(file, "command"), { pid: process.pid, role: "server" });
  await lock.release();
  assert.ok((await takeLock(file, "command")) instanceof HeldLock);
  assert.deepEqual(await readdir(join(file, "..")), ["lectern.lock"], "nothing else is left in the folder");
});

test("a living process that has got the number of the dead holder is not taken for it", async (t) => {
  const file = await makeLockFile(t);
  const birth = await birthOf(process.pid);
  await writeFile(file, `${process.pid}\n1${birth}\nserver\nx\n`);
  assert.ok((await takeLock(file, "server")) instanceof HeldLock);
  await writeFile(file, `${process.pid}\n${birth?.split("@")[0]}@an-earlier-boot\nserver\nx\n`);
  assert.ok((await takeLock(file, "server")) instanceof HeldLock);
});

test("a lock that a power cut has left empty or broken is dead", async (t) => {
  const file = await makeLockFile(t);
  for (const text of ["", "\0\0\0\0", "nonsense\n"]) {
    await writeFile(file, text);
    assert.ok((await takeLock(file, "server")) instanceof HeldLock);
  }
});

test("a starter that died while it replaced a dead lock holds up nobody", async (t) => {
  const file = await makeLockFile(t);
  const spawned = spawn(process.execPath, ["--input-type=module", "-e", DIE_WHILE_REPLACING, file], {
    stdio: "inherit",
  });
  await once(spawned, "exit");
  assert.equal((await readdir(join(file, ".."))).filter((name) => /\.[0-9a-f]{16}$/.test(name)).length, 1);
  assert.ok((await takeLock(file, "server")) instanceof HeldLock);
});

test("a process that has ended but was not asked about by its parent is dead", async (t) => {
  const parent = spawn("sh", ["-c", 'sleep 0.2 & echo "$!"; exec sleep 3600'], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(() => parent.kill("SIGKILL"));
  const [line] = await once(parent.stdout, "data");
  const zombie = Number(String(line));
  await until("its end", async () => (await birthOf(zombie)) === undefined);
  assert.match(await readFile(`/proc/${zombie}/stat`, "utf8"), /\) Z /);
});

test("of many processes that find a dead lock exactly one gets it, again and again", async (t) => {
  const file = await makeLockFile(t);
  const counter = `${file}-counter`;
  await writeFile(counter, "0");
  const takers = Array.from({ length: TAKERS }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", TAKE_MANY, file, counter, String(ROUNDS)], {
      stdio: "inherit",
    }),
  );
  const ends = await Promise.all(takers.map((taker) => once(taker, "exit")));
  assert.deepEqual(
    ends,
    takers.map(() => [0, null]),
  );
  assert.equal(await readFile(counter, "utf8"), String(TAKERS * ROUNDS));
});

const TAKERS = 4;
const ROUNDS = 100;
const LOCK_URL = JSON.stringify(new URL("lock.ts", import.meta.url).href);

/** Counts up in a way that loses counts when two do it at once, then leaves its lock as if it had died. */
const TAKE_MANY = `
import { readFile, writeFile, rename } from "node:fs/promises";
const { HeldLock, takeLock } = await import(${LOCK_URL});
const [file, counter, rounds] = process.argv.slice(1);
for (let round = 0; round < Number(rounds); ) {
  const lock = await takeLock(file, "server");
  if (!(lock instanceof HeldLock)) continue;
  const count = Number(await readFile(counter, "utf8"));
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
  await writeFile(counter, String(count + 1));
  round += 1;
  await writeFile(file + "-dead" + process.pid, "1\\nlong-ago\\nserver\\n" + process.pid + round);
  await rename(file + "-dead" + process.pid, file);
}`;

/** Leaves a dead lock, and the right to replace it in the hands of a process that has died. */
const DIE_WHILE_REPLACING = `
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
fs.rename = () => process.exit();
syncBuiltinESMExports();
const { takeLock } = await import(${LOCK_URL});
await fs.writeFile(process.argv[1], "1\\nlong-ago\\nserver\\nx\\n");
await takeLock(process.argv[1], "server");
`;
