import { Type, type Static } from "typebox";
import { closed, nullable } from "../http/schema.ts";

export const SettingsUpdate = Type.Object({
  lesson_completed_callback_url: Type.Optional(
    nullable(Type.String({ maxLength: 2000 }), {
      description: "Where to post each completed lesson. Left out it stays; null or an empty text clears it.",
    }),
  ),
  lesson_completed_callback_authorization: Type.Optional(
    nullable(Type.String({ maxLength: 2000 }), {
      description: "Sent as it is in the Authorization header of those posts.",
    }),
  ),
});
export type SettingsUpdate = Static<typeof SettingsUpdate>;

export const Settings = closed({
  lesson_completed_callback_url: nullable(Type.String()),
  lesson_completed_callback_authorization: nullable(Type.String()),
});
