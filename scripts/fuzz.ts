import { assertCountsHold } from "../server/test/counts.ts";
import { makeContent } from "../server/test/content.ts";
import { sendRequests } from "../server/test/fuzz.ts";
import { assignmentsFollowTheirModel, StillClock } from "../server/test/model-walk.ts";
import { contentsComeBack } from "../server/test/nesting.ts";
import { addManyUsers } from "../server/test/people.ts";
import { pollWhileWriting } from "../server/test/poller.ts";
import {
  archivingFollowsItsModel,
  pagesPartitionLists,
  reassigningFollowsItsModel,
  statusesPartitionAssignments,
} from "../server/test/properties.ts";
import { startServer, type TestServer } from "../server/test/server.ts";

// What `npm test` does for seconds, for minutes: npm run fuzz [requests] [seed]. The seed gives the same requests again.
const [requests = 100_000, seed = Date.now() % 1_000_000_000] = process.argv.slice(2).map(Number);
const CHANGES = 10_000;
const SEQUENCES = 2_000;
const stillClock = new StillClock();

console.log(`seed ${seed}`);
await run("requests to versions 1 and 1.1", (lectern) => sendMany(lectern, 1));
await run("requests to version 2", (lectern) => sendMany(lectern, 2));
await run("properties", tryProperties);
await run("assignment states against a model", walkAlongModel, stillClock.now);
await run("poller", pollMuch);
await run("poller without the counters' lock", pollUnguarded);

/** Runs a part on a server of its own and prints its line. A part that finds something throws it. */
async function run(
  name: string,
  part: (lectern: TestServer) => Promise<string>,
  clock?: () => Date,
): Promise<void> {
  const started = performance.now();
  await using lectern = await startServer({ ...(clock && { clock }) });
  const found = await part(lectern);
  console.log(`${name}: ${found} (${Math.round((performance.now() - started) / 1000)} s)`);
}

async function sendMany(lectern: TestServer, version: 1 | 2): Promise<string> {
  const statuses = await sendRequests(lectern, { seed, requests, version });
  await assertCountsHold(lectern);
  const counts = [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${status} ${count} times`);
  return `${requests} sent, no 5xx; ${counts.join(", ")}; all counts equal the rows`;
}

async function tryProperties(lectern: TestServer): Promise<string> {
  await fill(lectern, 300);
  const tries = { numRuns: 300, seed };
  // First, while every list fits into the one large page that the small ones are compared with.
  await pagesPartitionLists(lectern, { numRuns: 60, seed });
  await statusesPartitionAssignments(lectern);
  await archivingFollowsItsModel(lectern, tries);
  await reassigningFollowsItsModel(lectern, tries);
  await contentsComeBack(lectern, tries);
  await assertCountsHold(lectern);
  return `paging, statuses, archiving, reassigning, nesting held in up to ${tries.numRuns} tries each`;
}

async function walkAlongModel(lectern: TestServer): Promise<string> {
  const tries = { numRuns: SEQUENCES, seed, mostSteps: 24 };
  const told = await assignmentsFollowTheirModel({ lectern, clock: stillClock }, tries);
  const steps = [...told].map(([name, { done, refused }]) => `${name} ${done} done ${refused} refused`);
  return `${SEQUENCES} sequences, 0 differences; ${steps.join(", ")}; all counts equal the rows after each step`;
}

async function pollMuch(lectern: TestServer): Promise<string> {
  await fill(lectern, 300);
  const found = await pollWhileWriting(lectern, { changes: CHANGES, writers: 4, random: Math.random });
  const missed = found.filter((way) => way.missed > 0);
  if (missed.length > 0) throw new Error(`changes were missed: ${JSON.stringify(missed)}`);
  return `${CHANGES} changes; ${found.map(({ way, polls }) => `${way}: ${polls} polls, 0 missed`).join("; ")}`;
}

async function pollUnguarded(lectern: TestServer): Promise<string> {
  await fill(lectern, 300);
  const found = await pollWhileWriting(lectern, {
    changes: CHANGES,
    writers: 4,
    random: Math.random,
    isGuarded: false,
  });
  if (found.every(({ missed }) => missed === 0))
    throw new Error("the poller proves nothing: it misses nothing either way");
  return found.map(({ way, missed }) => `${way}: ${missed} missed`).join("; ");
}

/** Gives a company content, and a lesson that many are assigned. */
async function fill(lectern: TestServer, users: number): Promise<void> {
  const { lesson_id } = await makeContent(lectern, lectern.acme, "Amber");
  const assignees = await addManyUsers(lectern.make, lectern.acme, users);
  const assignments = assignees.map((assignee_id) => ({
    assignee_id,
    due_by: assignee_id % 2 === 0 ? "2020-12-31" : null,
  }));
  await lectern.acme.put(`/api/v1/lessons/${lesson_id}/assignments`, { assignments });
}
