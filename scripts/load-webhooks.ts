import { makeSchool } from "../server/test/load-school.ts";
import type { Arrivals } from "../server/test/timed-completions.ts";
import { WebhookLoad } from "../server/test/webhook-load.ts";

// Lessons are completed, and it is measured how long each takes from its answer to the receiver of the webhook: while all
// is well, while 10,000 deliveries wait for the dead receiver of another company, and while a million deliveries and
// jobs wait. It fails when another company's trouble doubles what 99 of 100 take, or the first delivery takes a second.
// npm run load-webhooks [rounds] [how many wait]
const [rounds = 6, waiting = 1_000_000] = process.argv.slice(2).map(Number);
/** Completions of a round, and those of all other measurements, are fewer than this. */
const PUPILS = 100;
const LESSONS = 4 + rounds * 4;
const MOST_RATIO = 2;
const MOST_FIRST_MS = 1_000;

await using school = await makeSchool({ pupils: PUPILS, questions: 1, lessons: LESSONS });
await using load = await WebhookLoad.start(school);

const { alone, hanging, refusing } = await load.meetNeighbour(rounds);
console.log(`alone: ${describe(alone)}`);
for (const [what, arrivals] of Object.entries({ hangs: hanging, refuses: refusing })) {
  const ratio = arrivals.p99Ms / alone.p99Ms;
  const isMet = ratio <= MOST_RATIO;
  console.log(`while another company's receiver ${what}: ${describe(arrivals)}, ${say(ratio, isMet)}`);
}
for (const { what, firstMs, others } of await load.fill(waiting)) {
  const isMet = firstMs < MOST_FIRST_MS;
  console.log(
    `${what} waits: the first within ${firstMs.toFixed(0)} ms${isMet ? "" : ", TOO LATE"}; then ${describe(others)}`,
  );
  if (!isMet) process.exitCode = 1;
}

function describe({ count, p50Ms, p99Ms, slowestMs }: Arrivals): string {
  return `${count} completions, half within ${p50Ms} ms, 99 of 100 within ${p99Ms} ms, the slowest ${slowestMs} ms`;
}

function say(ratio: number, isMet: boolean): string {
  if (!isMet) process.exitCode = 1;
  return `${ratio.toFixed(2)} times${isMet ? "" : `, MORE THAN ${MOST_RATIO}`}`;
}
