import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PROGRAM = "pgbouncer";
const hasProgram = spawnSync(PROGRAM, ["--version"]).status === 0;

/** For tests that need a pooler. */
export const skipWithoutPooler = hasProgram ? false : `there is no ${PROGRAM} on the PATH`;

/** It names its socket in the folder; nothing listens on a port of this number. */
const PORT = 6432;

/** PgBouncer before a PostgreSQL. Dispose it to stop it. */
export interface Pooler extends AsyncDisposable {
  /** The address of the same database, by way of the pooler. */
  readonly url: string;
}

/**
 * Starts PgBouncer in transaction mode before the PostgreSQL of an address.
 * @param connections how many it lends.
 */
export async function startPooler(address: string, connections: number): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(address);
  const folder = await mkdtemp(join(tmpdir(), "lectern-pooler-"));
  const [settings, users] = [join(folder, "settings"), join(folder, "users")];
  await writeFile(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_port = ${PORT}
unix_socket_dir = ${folder}
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 200
`,
  );
  const runAs = await userToRunAs();
  if (runAs !== undefined)
    for (const path of [folder, users, settings]) await chown(path, runAs.uid, runAs.gid);
  const child = spawn(PROGRAM, [settings], { stdio: ["ignore", "ignore", "pipe"], ...runAs });
  const exited = once(child, "exit");
  const said: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    said.push(line);
    if (line.includes("process up")) break;
  }
  child.stderr.resume();
  if (child.exitCode !== null) throw new Error(`${PROGRAM} does not start:\n${said.join("\n")}`);
  return {
    url: `postgres://${username}:${password}@${encodeURIComponent(folder)}:${PORT}${pathname}`,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

/** PgBouncer refuses to run as root. */
async function userToRunAs(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const [, , uid, gid] = users.find(([name]) => name === "nobody") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
