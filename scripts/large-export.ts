import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { openDatabase } from "../bench/database.ts";
import { fillCompany } from "../bench/fill.ts";
import { residentMemory, type Server, startOurs } from "../bench/servers.ts";
import { createCompany } from "../server/companies/create.ts";
import { Database } from "../server/db/db.ts";
import { SERVING_ROLE } from "../server/db/migrate.ts";
import { hashPassword } from "../server/users/passwords.ts";

// Exports a large company from a real server process while its memory is watched, and counts what arrives.
// Usage: node scripts/large-export.ts --rows 1000000
const { values: options } = parseArgs({ options: { rows: { type: "string", default: "1000000" } } });
const rows = Number(options.rows);
const MOST_MEMORY_MIB = 300;
const LOOK_EVERY_MS = 20;

await using database = await openDatabase();
const authorization = await fill(database.url);
process.env["DATA_DIR"] = join(database.folder, "server");
mkdirSync(process.env["DATA_DIR"], { recursive: true });
await using server = await startOurs(database.url, database.folder);
console.log(`before: ${Math.round(await residentMemory(server))} MiB`);
let failed = false;
for (const [path, expected] of [
  ["assignments/export?format=csv", rows],
  ["assignments/export?format=ndjson", rows],
  ["users/export?format=csv", Math.round(rows / 10)],
  ["results/export?format=csv", null],
] as const) {
  const { lines, mib, seconds, mostMiB } = await measure(server, path);
  const counted = path.endsWith("csv") ? lines - 1 : lines;
  const isRight = (expected === null || counted === expected) && mostMiB <= MOST_MEMORY_MIB;
  failed ||= !isRight;
  console.log(
    `${isRight ? "ok  " : "BAD "} ${path}: ${counted} rows, ${mib} MiB in ${seconds} s, at most ${mostMiB} MiB of memory`,
  );
}
process.exitCode = failed ? 1 : 0;

/** Fills a company with so many assignments, and a tenth of it users. @returns its Authorization. */
async function fill(url: string): Promise<string> {
  await using ours = new Database({
    url,
    connections: 1,
    pooling: "session",
    role: SERVING_ROLE,
    statementTimeoutMs: 0,
    clock: () => new Date(),
  });
  const admin = {
    name: "Ada Admin",
    email: "ada@example.com",
    password_hash: await hashPassword("correct horse battery"),
  };
  const { company, api_key } = await createCompany(ours, {
    subdomain: "large",
    name: "Large",
    time_zone: "UTC",
    requests_per_minute: 1_000_000,
    has_api: true,
    has_learning_library: true,
    admin,
  });
  const client = new Client({ connectionString: url });
  await client.connect();
  const size = { users: Math.round(rows / 10), lessons: 500, paths: 99, assignments: rows };
  await fillCompany(client, company.id, { ...size, of: "lessons and paths" });
  await client.query("vacuum analyze");
  await client.end();
  return `Basic ${Buffer.from(`large:${api_key}`).toString("base64")}`;
}

interface Measured {
  readonly lines: number;
  readonly mib: number;
  readonly seconds: number;
  readonly mostMiB: number;
}

async function measure({ port, pid, ...rest }: Server, path: string): Promise<Measured> {
  let [lines, bytes, most] = [0, 0, 0];
  const look = setInterval(async () => {
    most = Math.max(most, await residentMemory({ port, pid, ...rest }));
  }, LOOK_EVERY_MS);
  const begun = performance.now();
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v2/${path}`, { headers: { authorization } });
    if (!answer.ok || answer.body === null)
      throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    for await (const chunk of answer.body) {
      bytes += chunk.length;
      for (const byte of chunk) lines += Number(byte === 10);
    }
  } finally {
    clearInterval(look);
  }
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  return { lines, mib: Math.round(bytes / 1_048_576), seconds, mostMiB: Math.round(most) };
}
