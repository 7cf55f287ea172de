import { Type } from "typebox";
import { CursorQuery } from "../http/cursor.ts";
import { closed, component, Id, nullable, Time } from "../http/schema.ts";
import { mailCategories } from "./text.ts";

const wanted = (description: string) => Type.Boolean({ description });

const preferences = {
  assignments: wanted("Of what was assigned, and of new versions of it."),
  reminders: wanted("Of what is due soon, and overdue."),
  results: wanted("Of what was graded, or is to be taken again."),
  certificates: wanted("Of certificates that were issued, and of those that are about to expire."),
  team: wanted("The week of the groups that one manages."),
  administration: wanted("Of webhooks that fail, and bulk jobs that are done."),
};

/** Mails that are required, such as those that reset a password, are in no category. */
export const MailPreferences = component(
  "MailPreferences",
  closed(preferences, { description: "Which mails a person wants: all, until they turn some off." }),
);
export const MailPreferencesUpdate = closed({
  assignments: Type.Optional(preferences.assignments),
  reminders: Type.Optional(preferences.reminders),
  results: Type.Optional(preferences.results),
  certificates: Type.Optional(preferences.certificates),
  team: Type.Optional(preferences.team),
  administration: Type.Optional(preferences.administration),
});

export const UnsubscribeParams = Type.Object({
  subdomain: Type.String({ description: "The company's subdomain." }),
});
export const UnsubscribeQuery = Type.Object({
  token: Type.String({ maxLength: 300, description: "As the mail's List-Unsubscribe has it." }),
});
export const Unsubscribed = closed({
  categories: Type.Array(
    Type.Unsafe<(typeof mailCategories)[number]>({ type: "string", enum: [...mailCategories] }),
  ),
  wanted: Type.Boolean({ description: "Always false." }),
});

const statuses = [
  "waiting",
  "sending",
  "handed_over",
  "sent",
  "unsure",
  "refused",
  "address_refused",
  "dropped",
] as const;

const Status = Type.Unsafe<(typeof statuses)[number]>({
  type: "string",
  enum: [...statuses],
  description:
    "unsure: the connection or the process ended before the answer, so it may have arrived. address_refused: nothing is sent to this address until the user has another one, or this mail is sent again. dropped: there was nothing to tell any more.",
});
const Kind = Type.String({
  maxLength: 100,
  description: "Such as `assigned`; `digest` where it tells of several things.",
});

/** One mail to one person, as an administrator sees it: what became of it, and not what it says. */
export const Mail = component(
  "Mail",
  closed({
    id: Id,
    user: closed({ id: Id, name: Type.String() }),
    kind: Kind,
    address: nullable(Type.String({ description: "Where the last try was sent to; null before the first." })),
    subject: nullable(Type.String({ description: "As of the last try; null before the first." })),
    status: Status,
    reason: nullable(Type.String({ description: "Why it was not sent, or not yet." })),
    tries: Type.Integer(),
    created_at: Time,
    next_try_at: nullable(Time),
    sent_at: nullable(Time),
  }),
);

export const MailQuery = Type.Object({
  ...CursorQuery,
  "filter[user_id]": Type.Optional(Type.Integer({ minimum: 1, description: "To this user." })),
  "filter[status]": Type.Optional(Status),
  "filter[kind]": Type.Optional(Kind),
});
export const MailParams = Type.Object({ mail_id: Id });

export const mailComponents = [MailPreferences, Mail] as const;
