import { Type, type Static } from "typebox";
import { CursorQuery } from "../http/cursor.ts";
import { closed, component, Id, nullable, Time } from "../http/schema.ts";

/** Types and headers that one endpoint can have; more is a mistake. */
const MOST_TYPES = 50;
export const MOST_HEADERS = 20;

export const WebhookParams = Type.Object({ webhook_id: Id });
export const DeliveryParams = Type.Object({ webhook_id: Id, event_id: Id });
export const WebhookQuery = Type.Object(CursorQuery);

const url = Type.String({ minLength: 1, maxLength: 2_000, examples: ["https://hooks.example.com/lectern"] });
const description = Type.String({ maxLength: 1_000, description: "For people." });
const types = Type.Array(
  Type.String({
    maxLength: 100,
    pattern: "^(\\*|[a-z_]+\\.([a-z_]+|\\*))$",
    description: "A type of event, `user.*` for all that begin so, or `*` for all.",
    examples: ["assignment.completed"],
  }),
  { minItems: 1, maxItems: MOST_TYPES, uniqueItems: true },
);
const headers = Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), {
  description: "Sent with each request. Values are shown as `***`; one that comes back so stays as it is.",
});

export const Webhook = component(
  "Webhook",
  closed({
    id: Id,
    kind: Type.Unsafe<"lesson_completed" | "events">({
      type: "string",
      enum: ["lesson_completed", "events"],
      description: "`lesson_completed` is the one of the company's settings, with a payload of its own.",
    }),
    url: nullable(Type.String(), { description: "null for the one of the settings while it has none." }),
    description: Type.String(),
    types: Type.Array(Type.String()),
    headers: Type.Record(Type.String(), Type.String()),
    enabled: Type.Boolean(),
    disabled_reason: nullable(Type.String(), { description: "Why nothing is sent to it." }),
    disabled_at: nullable(Time),
    failing_since: nullable(Time, {
      description:
        "When an event was given up after its last try, or nothing had arrived for three days; null once something arrives again.",
    }),
    previous_secret_until: nullable(Time, { description: "Until when the former secret signs too." }),
    created_at: Time,
    updated_at: Time,
  }),
);
export type Webhook = Static<typeof Webhook>;

const secret = Type.String({ description: "What deliveries are signed with. It is shown this once." });
export const MadeWebhook = component("MadeWebhook", closed({ ...Webhook.properties, secret }));
export type MadeWebhook = Static<typeof MadeWebhook>;

export const NewWebhook = closed(
  {
    url,
    types,
    description: Type.Optional(description),
    headers: Type.Optional(headers),
    enabled: Type.Optional(Type.Boolean({ default: true })),
  },
  { examples: [{ url: "https://hooks.example.com/lectern", types: ["assignment.*", "user.created"] }] },
);
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookUpdate = closed({
  url: Type.Optional(url),
  types: Type.Optional(types),
  description: Type.Optional(description),
  headers: Type.Optional(headers),
  enabled: Type.Optional(
    Type.Boolean({
      description:
        "Enabled again it goes on after the last event that was looked at for it, or with the oldest that the feed keeps.",
    }),
  ),
  go_on_after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        "The event to go on after, in place of where it stopped: the feed's position for now. The feed must keep what follows it.",
    }),
  ),
});
export type WebhookUpdate = Static<typeof WebhookUpdate>;

export const DeletedWebhook = closed({ id: Id });

const httpStatus = nullable(Type.Integer(), { description: "The answer's HTTP status; null without one." });
const duration_ms = Type.Integer({ minimum: 0 });
const answer = nullable(Type.String(), { description: "The first 4 KiB of the answer." });
const reason = nullable(Type.String(), { description: "Why it failed; null where it did not." });

export const WebhookTest = component(
  "WebhookTest",
  closed({ delivered: Type.Boolean(), attempted_at: Time, status: httpStatus, duration_ms, answer, reason }),
);
export type WebhookTest = Static<typeof WebhookTest>;

export const WebhookAttempt = component(
  "WebhookAttempt",
  closed({
    number: Type.Integer({ minimum: 1 }),
    attempted_at: Time,
    status: httpStatus,
    duration_ms,
    answer,
    reason,
    next_try_at: nullable(Time, {
      description: "null after success, after the last try, and where the receiver wants no more.",
    }),
  }),
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;

const deliveryStatus = Type.Unsafe<"waiting" | "delivered" | "failed">({
  type: "string",
  enum: ["waiting", "delivered", "failed"],
});
const delivery = {
  event_id: Id,
  type: nullable(Type.String(), { description: "The event's type; null once the feed keeps it no longer." }),
  occurred_at: Time,
  status: deliveryStatus,
  attempts: Type.Integer({ minimum: 0, description: "How often it was tried." }),
  next_try_at: nullable(Time, {
    description: "null where nothing is to be sent: also while the webhook is disabled or has no address.",
  }),
  delivered_at: nullable(Time),
};

export const WebhookDelivery = component("WebhookDelivery", closed(delivery));
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryDetail = component(
  "WebhookDeliveryDetail",
  closed({ ...delivery, log: Type.Array(Type.Unsafe<WebhookAttempt>({ $ref: "WebhookAttempt#" })) }),
);
export type WebhookDeliveryDetail = Static<typeof WebhookDeliveryDetail>;

export const DeliveryQuery = Type.Object({
  ...CursorQuery,
  "filter[status]": Type.Optional(
    Type.Unsafe<"waiting" | "delivered" | "failed">({ ...deliveryStatus, description: "Only these." }),
  ),
});

const event = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const Resend = closed(
  {
    event_id: Type.Optional(Type.Integer({ ...event, description: "Send this event." })),
    from_event_id: Type.Optional(Type.Integer({ ...event, description: "Send from this event…" })),
    to_event_id: Type.Optional(Type.Integer({ ...event, description: "…to this one." })),
    failed: Type.Optional(
      Type.Literal(true, {
        description:
          "Send what was given up and the feed still keeps, at most 100,000 at once: the oldest. Ask again until `queued` is 0.",
      }),
    ),
  },
  {
    description: "One of: `event_id`; `from_event_id` with `to_event_id`; `failed`.",
    examples: [{ failed: true }],
  },
);
export type Resend = Static<typeof Resend>;

export const Resent = closed({
  queued: Type.Integer({ minimum: 0, description: "Deliveries that are on their way again." }),
});

/** The schemas that stand in the document by name. */
export const webhookComponents = [
  Webhook,
  MadeWebhook,
  WebhookTest,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryDetail,
];
