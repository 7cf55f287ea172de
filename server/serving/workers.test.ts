import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "../test/database.ts";
import { basic, runCommand, type RunningLectern, startLectern } from "../test/lectern.ts";
import { until } from "../test/patience.ts";

/** What changes for a company or the service holds in every process after this long. */
const EVERYWHERE_AFTER_MS = 1_000;

let database: TestDatabase;
let settings: Record<string, string>;
let lectern: RunningLectern;
let api_key: string;
let authorization: string;
before(async () => {
  database = await createTestDatabase();
  settings = { DATABASE_URL: database.ownerUrl };
  const create =
    "company create --subdomain acme --name Acme --admin-name A --admin-email a@acme.test --requests-per-minute 100000";
  const { stdout } = await command(`${create} --admin-password correct-horse --json`);
  ({ api_key } = JSON.parse(stdout));
  authorization = basic("acme", api_key);
  lectern = await startLectern(settings, ["serve", "--workers", "2"]);
});
after(async () => {
  await lectern[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function command(line: string) {
  const result = await runCommand(settings, line.split(" "));
  assert.deepEqual({ code: result.code, stderr: result.stderr }, { code: 0, stderr: "" });
  return result;
}

/** Asks until both processes have answered many times: each new connection goes to the next of them. */
async function askEveryProcess(path: string, by = authorization): Promise<number[]> {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => lectern.request(path, { authorization: by })),
  );
  return [...new Set(answers.map(({ status }) => status))];
}

/**
 * Asks until all answer so. A machine that takes long for one round of asking, or stands still before it, may take longer
 * by some of them.
 */
async function everyProcessAnswers(status: number, by?: string): Promise<void> {
  const begun = performance.now();
  let longestMs = 0;
  let last = begun;
  await until(`${status} from all`, async () => {
    const statuses = await askEveryProcess("/api/v1/ping", by);
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    return statuses.length === 1 && statuses[0] === status;
  });
  const tookMs = performance.now() - begun;
  assert.ok(tookMs <= EVERYWHERE_AFTER_MS + 5 * longestMs, `${tookMs} ms, asking ${longestMs} ms`);
}

async function listWorkers(): Promise<number[]> {
  const children = await readFile(`/proc/${lectern.pid}/task/${lectern.pid}/children`, "utf8");
  return children.trim().split(" ").map(Number);
}

async function countPings(): Promise<number> {
  const { body } = await lectern.request("/metrics");
  const counted =
    /^lectern_http_requests_total\{method="GET",route="\/api\/v1\/ping",status="200"\} (\d+)$/m.exec(body);
  return Number(counted?.[1] ?? 0);
}

test("the metrics of both processes are added up, and name no company", async () => {
  const before = await countPings();
  assert.deepEqual(await askEveryProcess("/api/v1/ping"), [200]);
  assert.equal((await countPings()) - before, 20);
  const { body } = await lectern.request("/metrics");
  for (const name of [
    "lectern_http_request_duration_seconds_bucket",
    "lectern_database_connections_open",
    "lectern_database_size_bytes",
    "nodejs_eventloop_lag_seconds",
    "process_resident_memory_bytes",
  ]) {
    assert.match(body, new RegExp(`^${name}(\\{.*\\})? [0-9.e+-]+$`, "m"));
  }
  for (const secret of ["acme", api_key.slice(0, 12)]) assert.ok(!body.includes(secret), secret);
});

test("a key that is revoked is refused by every process within a second, and its use was noted", async () => {
  const { stdout } = await command("api-key create --subdomain acme --json");
  const { id, api_key: made } = JSON.parse(stdout);
  const second = basic("acme", made);
  assert.deepEqual(await askEveryProcess("/api/v1/ping", second), [200]);
  await command(`api-key revoke ${id} --subdomain acme`);
  await everyProcessAnswers(401, second);
  const listed: { id: number; last_used_at: string }[] = JSON.parse(
    (await command("api-key list --subdomain acme --json")).stdout,
  );
  assert.match(listed.find((key) => key.id === id)?.last_used_at ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

test("a plan that changes holds in every process within a second", async () => {
  await command("company update --subdomain acme --without-api");
  await everyProcessAnswers(403);
  await command("company update --subdomain acme --with-api");
  await everyProcessAnswers(200);
});

test("in maintenance every process says when to come back, and the health addresses go on", async () => {
  await command("maintenance on");
  await everyProcessAnswers(503);
  const refused = await lectern.request("/api/v1/ping", { authorization });
  assert.equal(refused.headers["retry-after"], "30");
  assert.deepEqual(refused.body, {
    type: "error",
    status: 503,
    error: "Service Unavailable",
    message: "Offline for maintenance: try again later",
    request_id: refused.headers["x-request-id"],
  });
  for (const path of ["/healthz", "/readyz", "/metrics"])
    assert.deepEqual(await askEveryProcess(path), [200], path);
  await command("maintenance off");
  await everyProcessAnswers(200);
});

test("a process that is killed is replaced, and nobody is refused meanwhile", async () => {
  const [pid = 0] = await listWorkers();
  process.kill(pid, "SIGKILL");
  await lectern.says(new RegExp(`^Worker ${pid} ended \\(SIGKILL\\); another is started\\.$`));
  assert.deepEqual(await askEveryProcess("/api/v1/ping"), [200]);
  await until("another process", async () => (await listWorkers()).length === 2);
  assert.ok(!(await listWorkers()).includes(pid));
});

test("SIGTERM ends all of them", async () => {
  const workers = await listWorkers();
  assert.equal(await lectern.stop(), 0);
  for (const pid of workers) assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});
