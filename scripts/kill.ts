import { KillGround, type Round } from "../server/test/killing.ts";

// Kills the server and PostgreSQL under write load, far more often than `npm test` does. It fails at the first write
// that was answered and is not there, that is half done, or that is counted otherwise than its rows.
const SERVER_KILLS = 10;
const POSTGRES_KILLS = 5;
const REPEATED_KILLS = 20;

await using ground = await KillGround.make();
await repeat("the server", SERVER_KILLS, () => ground.killServer());
await repeat("PostgreSQL", POSTGRES_KILLS, () => ground.killPostgres());

await repeatWrites(REPEATED_KILLS);

async function repeat(name: string, times: number, kill: () => Promise<Round>): Promise<void> {
  let [done, unknown, longestMs] = [0, 0, 0];
  for (let kills = 1; kills <= times; kills += 1) {
    const round = await kill();
    done += round.done;
    unknown += round.unknown;
    longestMs = Math.max(longestMs, round.awayMs);
    console.log(`kill ${kills} of ${name}: ${JSON.stringify(round)}`);
  }
  console.log(
    `${name} killed ${times} times: ${done} writes answered and 0 lost, ${unknown} unanswered and 0 half done, ` +
      `all counts equal the rows, at most ${longestMs} ms until the next write`,
  );
}

/** Kills the server under writes that are sent again afterwards. */
async function repeatWrites(times: number): Promise<void> {
  const sum = { answered: 0, unanswered: 0, committed: 0 };
  for (let kills = 1; kills <= times; kills += 1) {
    const round = await ground.killAndRepeat();
    sum.answered += round.answered;
    sum.unanswered += round.unanswered;
    sum.committed += round.committed;
    console.log(`kill ${kills} and repeat: ${JSON.stringify(round)}`);
  }
  console.log(
    `the server killed ${times} times under Idempotency-Keys: ${sum.answered} writes answered and given the same answer ` +
      `again, ${sum.unanswered} unanswered, of which ${sum.committed} had been done; each is done once`,
  );
}
