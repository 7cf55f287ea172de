import { EventLoad } from "../server/test/event-load.ts";
import { makeSchool } from "../server/test/load-school.ts";

// 10,000 lessons are completed while the server, the worker and PostgreSQL are killed, and the receiver of the webhook
// fails half of what it is sent. It fails when a completion is not delivered, has two ids, or is not in the feed.
// npm run kill-events [learners] [lessons of each] [kills]
const [pupils = 1_000, lessons = 10, kills = 20] = process.argv.slice(2).map(Number);

await using school = await makeSchool({ pupils, questions: 1, lessons });
const found = await new EventLoad(school).run(kills);
console.log(
  `${found.completions} completions, killed ${JSON.stringify(found.kills)}: 0 not delivered, none with two ids; ` +
    `${found.received} sent, ${found.accepted} accepted; ${found.events} events read in order, 0 missing`,
);
