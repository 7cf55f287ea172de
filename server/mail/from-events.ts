import type { WriteTx } from "../db/db.ts";
import { listAdministrators, WEBHOOKS } from "./administrators.ts";
import type { NewNotice } from "./notices.ts";

/** What the mailer reads of an event. */
export interface MailedEvent {
  readonly id: number;
  readonly type: string;
  readonly resource_id: number | null;
  readonly user_id: number | null;
  /** Both are JSON: few of the events need to be read. */
  readonly data: string;
  readonly previous: string | null;
}

/** The events that may become mails; no others are read. */
export const mailedTypes = [
  "assignment.created",
  "assignment.graded",
  "assignment.reassigned",
  "certificate.issued",
  "user.created",
  "webhook.disabled",
  "webhook.failing",
];

/** What people are to be told of some events; `gatherMs` is how long it waits for more. */
export async function toNotices(
  tx: WriteTx,
  events: readonly MailedEvent[],
  gatherMs: number,
): Promise<NewNotice[]> {
  const now = tx.now.getTime();
  const at = { alone: new Date(now).toISOString(), soon: new Date(now + gatherMs).toISOString() };
  const ofOnePerson = events.flatMap((event): NewNotice[] => {
    const told = tellOne(event);
    if (told === undefined || event.user_id === null) return [];
    return [{ ...told, key: `event/${event.id}`, user_id: event.user_id, send_at: at[told.pace] }];
  });
  const failing = events.filter(({ type }) => type === "webhook.failing" || type === "webhook.disabled");
  if (failing.length === 0) return ofOnePerson;
  const administrators = await listAdministrators(tx, WEBHOOKS);
  const ofAdministrators = failing.flatMap(({ id, resource_id }) =>
    administrators.map((user_id): NewNotice => {
      const told = { kind: "endpoint_failing", pace: "soon", facts: { webhook_id: resource_id } } as const;
      return { ...told, key: `event/${id}/${user_id}`, user_id, send_at: at.soon };
    }),
  );
  return [...ofOnePerson, ...ofAdministrators];
}

type Told = Pick<NewNotice, "kind" | "facts"> & { readonly pace: "alone" | "soon" };

/** What the person is told whom an event is about; nothing of most. */
function tellOne({ type, resource_id: id, data, previous }: MailedEvent): Told | undefined {
  switch (type) {
    case "user.created":
      return { kind: "account_created", pace: "alone", facts: {} };
    case "assignment.created":
      return { kind: "assigned", pace: "soon", facts: { assignment_id: id } };
    case "assignment.reassigned":
      // One that was completed begins anew; any other was not passed, and is taken again.
      return read(previous, "status") === "Completed"
        ? { kind: "assigned", pace: "soon", facts: { assignment_id: id } }
        : { kind: "retake", pace: "soon", facts: { assignment_id: id, score: read(data, "score") } };
    case "assignment.graded":
      return read(data, "status") === "Completed"
        ? { kind: "graded", pace: "soon", facts: { assignment_id: id } }
        : undefined;
    case "certificate.issued":
      return { kind: "issued", pace: "soon", facts: { certificate_id: id } };
    default:
      return undefined;
  }
}

/** Reads one of the values that an event holds. */
function read(json: string | null, key: string): unknown {
  const data: unknown = json === null ? null : JSON.parse(json);
  if (typeof data !== "object" || data === null) return undefined;
  return Object.entries(data).find(([name]) => name === key)?.[1];
}
