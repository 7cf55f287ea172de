import { Type, type Static } from "typebox";
import { CursorQuery } from "../http/cursor.ts";
import { closed, component, Id, nullable, Time } from "../http/schema.ts";
import { Grants } from "../roles/v2-schema.ts";
import { SettingsUpdate } from "./schema.ts";

export const KeyParams = Type.Object({ api_key_id: Id });

const shown = {
  id: Id,
  name: Type.String(),
  prefix: Type.String({ description: "How the key begins, to tell keys apart." }),
  privileges: Type.Unsafe<string[] | null>({
    ...Grants,
    type: ["array", "null"],
    description: "What the key may do; null for everything.",
  }),
  made_by_user_id: nullable(Id, { description: "Who made it; null for a key made on the command line." }),
  created_at: Time,
  expires_at: nullable(Time, { description: "When it ends; null for never." }),
  last_used_at: nullable(Time, { description: "When it was last used, to the minute; null for never." }),
  revoked_at: nullable(Time, { description: "When it was ended by hand." }),
};

export const ApiKeyItem = component("ApiKey", closed(shown));
export type ApiKeyItem = Static<typeof ApiKeyItem>;

export const MadeApiKey = component(
  "MadeApiKey",
  closed({ ...shown, key: Type.String({ description: "The key itself. It is shown this once." }) }),
);

export const ApiKeyQuery = Type.Object({
  ...CursorQuery,
  "filter[revoked]": Type.Optional(
    Type.Boolean({ description: "`true` for keys that were revoked, `false` for the others." }),
  ),
});

export const NewApiKey = closed(
  {
    name: Type.String({ minLength: 1, maxLength: 255, pattern: "\\S", description: "Can't be empty." }),
    privileges: Type.Unsafe<string[] | null>({
      ...Grants,
      type: ["array", "null"],
      description: "What the key may do, each for the whole company; null for everything.",
    }),
    expires_at: Type.Optional(
      nullable(Type.String({ format: "moment" }), { description: "When it ends; null or left out: never." }),
    ),
  },
  { examples: [{ name: "Nightly report", privileges: ["reports.read"], expires_at: "2030-12-31" }] },
);

export const RevokedApiKey = closed({ id: Id });

export const CompanySettings = component(
  "CompanySettings",
  closed({
    name: Type.String(),
    subdomain: Type.String({ description: "Set by the operator." }),
    time_zone: Type.String({ description: "An IANA name, such as Europe/Berlin: days begin by it." }),
    lesson_completed_callback_url: nullable(Type.String(), {
      description: "Where each completed lesson is posted.",
    }),
    lesson_completed_callback_authorization: nullable(Type.String(), {
      description: "`***` where one is set; it is never shown.",
    }),
  }),
);
export type CompanySettings = Static<typeof CompanySettings>;

export const CompanySettingsUpdate = closed({
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, pattern: "\\S", description: "Can't be empty." }),
  ),
  time_zone: Type.Optional(Type.String({ maxLength: 100 })),
  ...SettingsUpdate.properties,
});
