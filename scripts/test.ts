import { spawn } from "node:child_process";
import { once } from "node:events";
import { glob } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { startCluster } from "../server/test/cluster.ts";
import { readConfig, variables } from "../server/config.ts";

// Runs the whole suite on one PostgreSQL: that of DATABASE_URL, or one that is started for it. Arguments name files.
/** Tests wait for PostgreSQL and for processes they start, so a few more than there are cores keep the cores busy. */
const CONCURRENCY = availableParallelism() + 1;
/** More than ten times what the longest test takes on an idle machine with two cores. */
const TIMEOUT_MS = 600_000;
/** A test that has timed out may leave something that goes on, and its file's process with it: that ends by this. */
const DEADLINE = new URL("deadline.ts", import.meta.url).href;
/** Each file is a process of its own: what one has compiled the others need not, which halves their start. */
const COMPILED = fileURLToPath(new URL("../node_modules/.cache/compiled-tests", import.meta.url));

// What a shell has set for Lectern must not change a test, nor this program.
for (const { name } of Object.values(variables)) if (name !== "DATABASE_URL") process.env[name] = "";

const files = process.argv.slice(2);
if (files.length === 0) for await (const file of glob("server/**/*.test.ts")) files.push(file);
const given = readConfig().databaseUrl;
const cluster = given === undefined ? await startCluster() : undefined;
const url = given ?? cluster?.url ?? "";

const options = [
  "--test",
  `--test-concurrency=${CONCURRENCY}`,
  `--test-timeout=${TIMEOUT_MS}`,
  "--import",
  DEADLINE,
];
const tests = spawn(process.execPath, [...options, ...files.toSorted()], {
  stdio: "inherit",
  env: { ...process.env, NODE_COMPILE_CACHE: COMPILED, DATABASE_URL: url },
});
// Who ends this process ends the tests, and the PostgreSQL with them.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => tests.kill(signal));
const [code]: unknown[] = await once(tests, "exit");
await cluster?.stop();
process.exit(code === 0 ? 0 : 1);
