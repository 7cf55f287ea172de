import { Type, type Static } from "typebox";
import { closed, component, Id, nullable, Time } from "../http/schema.ts";

/** Events of one answer. */
const MOST_EVENTS = 1_000;
/** Longer would meet the time limits of proxies. */
const MOST_WAIT_SECONDS = 30;

const thing = (description: string) =>
  Type.Unsafe<object>({ type: "object", additionalProperties: true, description });

/** One thing that has happened. */
export const Event = component(
  "Event",
  closed({
    id: Type.Integer({
      minimum: 1,
      description: "Its place in the feed: each is one more than the one before.",
    }),
    type: Type.String({ description: "Such as `assignment.completed`; see the document's webhooks." }),
    occurred_at: Time,
    data: thing(
      "What it is about, as version 2 shows it then; of what was deleted only what names it. What a person was erased from says so by `erased`.",
    ),
    previous: Type.Unsafe<object | null>({
      type: ["object", "null"],
      additionalProperties: true,
      description: "Of a change: the former values of what changed.",
    }),
  }),
);
export type Event = Static<typeof Event>;

/** What is left of a thing that was deleted. */
export const Tombstone = component("Tombstone", closed({ id: Id }));

const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const EventsQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({
      ...Position,
      description: "The last id that the reader has: `next` of the answer before. Left out: from the oldest.",
    }),
  ),
  types: Type.Optional(
    Type.String({
      maxLength: 2_000,
      pattern: "^[a-z_]+\\.([a-z_]+|\\*)(,[a-z_]+\\.([a-z_]+|\\*))*$",
      description: "Only these, with commas; `user.*` for all that begin so.",
      examples: ["user.*,assignment.completed"],
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MOST_WAIT_SECONDS,
      default: 0,
      description:
        "Seconds to wait for the next event where there is none yet. Where very many of a company wait already, the answer comes at once.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MOST_EVENTS, default: 100, description: "The most to answer with." }),
  ),
});
export type EventsQuery = Static<typeof EventsQuery>;

export const Events = closed({
  data: Type.Array(Type.Unsafe<Event>({ $ref: "Event#" })),
  next: Type.Integer({ minimum: 0, description: "Where to go on: `after` of the next request." }),
});
export type Events = Static<typeof Events>;

export const FeedPosition = component(
  "FeedPosition",
  closed({
    position: Type.Integer({
      minimum: 0,
      description:
        "The newest event. Copy the account after asking for it, then follow from here: nothing is missed.",
    }),
    oldest: nullable(Id, { description: "The oldest event that is still kept; null where none is." }),
  }),
);
export type FeedPosition = Static<typeof FeedPosition>;
