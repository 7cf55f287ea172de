import type { Database } from "../db/db.ts";
import type { App } from "../http/app.ts";
import { answers, ref } from "../http/schema.ts";
import { getPosition, listEvents } from "./feed.ts";
import { requireKnownTypes } from "./known-types.ts";
import { Events, EventsQuery, FeedPosition } from "./v2-schema.ts";
import { Waiting } from "./waiting.ts";

const tags = ["Events"];

/** /api/v2/events */
export function registerEvents(app: App, { database }: { readonly database: Database }): void {
  const waiting = new Waiting(database);
  // Who waits is answered when the server stops, and asks the next one.
  app.addHook("preClose", async () => waiting.end());
  app.get(
    "/api/v2/events",
    {
      config: { access: "events.read" },
      schema: {
        tags,
        summary: "Follow what happens in the account, in order",
        querystring: EventsQuery,
        response: answers(200, Events),
      },
    },
    async (request, reply) => {
      const { query, company } = request;
      if (query.types !== undefined) requireKnownTypes(query.types.split(","), () => "types");
      const wait = { deadline: Date.now() + 1_000 * (query.wait ?? 0), closed: reply.raw };
      let found = await request.read((tx) => listEvents(tx, query));
      // What has happened may be of other types: then the waiting goes on.
      const goesOn = (after: number) => request.idle(() => waiting.until(company, { ...wait, after }));
      while (found.data.length === 0 && (await goesOn(found.next))) {
        const { next: after } = found;
        found = await request.read((tx) => listEvents(tx, { ...query, after }));
      }
      return found;
    },
  );
  app.get(
    "/api/v2/events/position",
    {
      config: { access: "events.read" },
      schema: {
        tags,
        summary: "Find where the feed is now, to copy the account and follow from there",
        response: answers(200, ref(FeedPosition)),
      },
    },
    (request) => request.read(getPosition),
  );
}
