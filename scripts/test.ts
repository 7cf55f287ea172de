import { spawn } from "node:child_process";
import { once } from "node:events";
import { glob } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { startCluster } from "../server/test/cluster.ts";
import { readConfig } from "../server/config.ts";

// Runs the whole suite on one PostgreSQL: that of DATABASE_URL, or one that is started for it. Arguments name files.
/** Tests wait for PostgreSQL and for processes they start, so a few more than there are cores keep the cores busy. */
const CONCURRENCY = availableParallelism() + 1;

const files = process.argv.slice(2);
if (files.length === 0) for await (const file of glob("server/**/*.test.ts")) files.push(file);
const given = readConfig().databaseUrl;
const cluster = given === undefined ? await startCluster() : undefined;
const url = given ?? cluster?.url ?? "";

// Every address that Lectern itself reads is the test's own: what a shell has set must not change a test.
const tests = spawn(process.execPath, ["--test", `--test-concurrency=${CONCURRENCY}`, ...files.toSorted()], {
  stdio: "inherit",
  env: { ...process.env, DATABASE_URL: url, PORT: "", HOST: "", DATA_DIR: "", PUBLIC_URL: "" },
});
// Who ends this process ends the tests, and the PostgreSQL with them.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => tests.kill(signal));
const [code]: unknown[] = await once(tests, "exit");
await cluster?.stop();
process.exit(code === 0 ? 0 : 1);
