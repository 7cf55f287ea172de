import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { basic, removeData, type RunningLectern, runCommand, startLectern } from "../server/test/lectern.ts";
import type { Answer } from "../server/test/server.ts";

// Sends 10,000 users and 10,000 assignments, kills the server several times while it works them off, and sees that each
// row is done once. Then the same without a kill, as dry run and real run, to compare and to measure.
const ROWS = 10_000;
const KILLS = 3;
const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 20;

await using stack = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), "lectern-kill-bulk-"));
stack.defer(() => rm(folder, { recursive: true, force: true }));
const settings = { DATA_DIR: join(folder, "data") };
stack.defer(() => removeData(settings.DATA_DIR));
const authorization = await makeCompany();

const users = Array.from({ length: ROWS }, (_, index) => ({
  ext_uid: `K-${index}`,
  email: `killed-${index}@example.com`,
  name: `Person ${index}`,
  role: "learner",
  department: `Department ${index % 20}`,
}));
const killed = await runKilled("users", users);
assert.equal(killed.job.outcomes.created, ROWS);
const ids: number[] = killed.results.map(({ id }) => id);
assert.equal(new Set(ids).size, ROWS);

await using lectern = await startLectern(settings, ["start"]);
const { body: page } = await lectern.request("/api/v1.1/users?filter[created_since]=2020-01-01&per_page=1", {
  authorization,
});
const before = page.total_users;
const again = await run(lectern, "users", { rows: users });
assert.equal(again.job.outcomes.unchanged, ROWS);
const lesson = await publishLesson(lectern);
const assignments = ids.map((user_id) => ({ user_id, assignable_type: "Lesson", assignable_id: lesson }));
const dry = await run(lectern, "assignments", { rows: assignments, dry_run: true });
await lectern.stop();
const assigned = await runKilled("assignments", assignments);
assert.deepEqual(assigned.job.outcomes, dry.job.outcomes);
assert.deepEqual(
  assigned.results.map(({ row, outcome, errors }) => ({ row, outcome, errors })),
  dry.results.map(({ row, outcome, errors }) => ({ row, outcome, errors })),
);
await using last = await startLectern(settings, ["start"]);
const { body: counted } = await last.request(`/api/v1/lessons/${lesson}`, { authorization });
console.log(
  `users: ${before} in all; the lesson has ${counted.assignees_count} assignees; each row was done once`,
);
const fresh = users.map((user) => ({ ...user, ext_uid: `F-${user.ext_uid}`, email: `f-${user.email}` }));
for (const mode of ["row_by_row", "all_or_nothing"]) {
  for (const dry_run of [true, false]) {
    const rows = fresh.map((user) => ({
      ...user,
      ext_uid: `${mode} ${user.ext_uid}`,
      email: `${mode}-${user.email}`,
    }));
    const { seconds } = await run(last, "users", { rows, mode, dry_run });
    console.log(`${ROWS} users, ${mode}${dry_run ? ", dry run" : ""}: ${seconds} s`);
  }
}

async function makeCompany(): Promise<string> {
  await runCommand(settings, ["migrate"]);
  const options =
    "company create --subdomain kill --name Kill --admin-name Ada --admin-email ada@example.com";
  const more = "--admin-password-stdin --requests-per-minute 100000000 --json";
  const made = await runCommand(settings, `${options} ${more}`.split(" "), "correct horse battery");
  assert.equal(made.code, 0, made.stderr);
  return basic("kill", JSON.parse(made.stdout).api_key);
}

/** Writes and publishes a lesson of one page. @returns its id. */
async function publishLesson(server: RunningLectern): Promise<number> {
  const paragraph = { type: "paragraph", content: [{ type: "text", text: "Shut the doors." }] };
  const block = { id: "b", type: "rich_text", content: { type: "doc", content: [paragraph] } };
  const content = {
    sections: [{ id: "s", title: "Fire", pages: [{ id: "p", title: "Doors", blocks: [block] }] }],
  };
  const call = { method: "POST", authorization } as const;
  const written = await server.request("/api/v2/lessons", { ...call, body: { title: "Fire", content } });
  assert.equal(written.status, 201, JSON.stringify(written.body));
  const published = await server.request(`/api/v2/lessons/${written.body.id}/publish`, { ...call, body: {} });
  assert.ok(published.status < 300, JSON.stringify(published.body));
  return written.body.id;
}

interface Result {
  readonly row: number;
  readonly outcome: string;
  readonly id: number;
  readonly errors: object[];
}

/** What JSON says of a job. */
type Job = Answer["body"];

interface Finished {
  readonly job: Job;
  readonly results: Result[];
  readonly seconds: number;
}

/** Sends rows, and kills the server each time that some more of them are done, until it was killed often enough. */
async function runKilled(kind: string, rows: readonly object[]): Promise<Finished> {
  let id: number | undefined;
  const doneAtKills: number[] = [];
  while (doneAtKills.length < KILLS) {
    await using victim = await startLectern(settings, ["start"]);
    id ??= await send(victim, kind, { rows });
    const enough = ((doneAtKills.length + 1) * ROWS) / (KILLS + 2);
    const { done } = await follow(victim, id, (state) => state.done >= enough);
    await victim.stop("SIGKILL");
    doneAtKills.push(done);
  }
  await using survivor = await startLectern(settings, ["start"]);
  const finished = await finish(survivor, id ?? 0, performance.now());
  console.log(`${kind}: killed with ${doneAtKills.join(", ")} of ${rows.length} rows done, then done`);
  await survivor.stop();
  return finished;
}

async function run(server: RunningLectern, kind: string, body: object): Promise<Finished> {
  const begun = performance.now();
  return finish(server, await send(server, kind, body), begun);
}

async function send(server: RunningLectern, kind: string, body: object): Promise<number> {
  const made = await server.request(`/api/v2/${kind}/bulk`, { method: "POST", authorization, body });
  assert.equal(made.status, 202, JSON.stringify(made.body));
  return made.body.id;
}

async function finish(server: RunningLectern, id: number, begun: number): Promise<Finished> {
  const job = await follow(server, id, ({ status }) => !["waiting", "running"].includes(status));
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  assert.equal(job.status, "done", JSON.stringify(job));
  assert.equal(job.done, job.total);
  const { body } = await server.request(`/api/v2/jobs/${id}/results?format=ndjson`, { authorization });
  const results: Result[] = String(body)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { job, results, seconds };
}

async function follow(server: RunningLectern, id: number, isThere: (state: Job) => boolean): Promise<Job> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const { body } = await server.request(`/api/v2/jobs/${id}`, { authorization });
    if (isThere(body)) return body;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`job ${id} did not come that far`);
}
