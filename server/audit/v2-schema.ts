import { Type, type Static } from "typebox";
import { CursorQuery } from "../http/cursor.ts";
import { ExportQuery } from "../exports/schema.ts";
import { closed, component, Id, nullable, Time } from "../http/schema.ts";

const ActorType = Type.Unsafe<"api_key" | "user" | "command">({
  type: "string",
  enum: ["api_key", "user", "command"],
  description: "A person, an API key, or a command of the operator.",
});

const state = (description: string) =>
  Type.Unsafe<object | null>({ type: ["object", "null"], additionalProperties: true, description });

/** One thing that was done. */
export const AuditRow = component(
  "AuditRow",
  closed({
    id: Type.String(),
    at: Time,
    actor: closed({
      type: ActorType,
      id: nullable(Id, { description: "The user's or the key's id; null for a command." }),
      name: nullable(Type.String(), { description: "What the user or the key is called now; null if gone." }),
    }),
    action: Type.String({ description: "Such as `update_user`." }),
    resource_type: Type.String({ description: "To what it was done, such as `user`." }),
    resource_id: nullable(Id),
    before: state("What of it was changed, as it was; null where there is nothing to tell."),
    after: state("What of it was changed, as it became."),
    address: nullable(Type.String(), { description: "From which address; null for a command." }),
    request_id: nullable(Type.String(), { description: "Names the request in the server's log." }),
  }),
);
export type AuditRow = Static<typeof AuditRow>;

const moment = (description: string) => Type.Optional(Type.String({ format: "moment", description }));

const filters = {
  "filter[actor_type]": Type.Optional(ActorType),
  "filter[actor_id]": Type.Optional(
    Type.Integer({ minimum: 1, description: "By this user or key; name the type too." }),
  ),
  "filter[action]": Type.Optional(
    Type.String({ maxLength: 100, description: "What was done, such as `update_user`." }),
  ),
  "filter[resource_type]": Type.Optional(
    Type.String({ maxLength: 100, description: "To what kind of thing, such as `user`." }),
  ),
  "filter[resource_id]": Type.Optional(
    Type.Integer({ minimum: 1, description: "To the thing with this id; name the type too." }),
  ),
  "filter[since]": moment("At this moment or later."),
  "filter[until]": moment("Before this moment."),
};

export const AuditQuery = Type.Object({ ...CursorQuery, ...filters });
export type AuditFilters = Omit<Static<typeof AuditQuery>, "cursor" | "limit">;

export const AuditExportQuery = Type.Object({ ...ExportQuery, ...filters });
