import { Type, type Static } from "typebox";
import { CursorQuery } from "../http/cursor.ts";
import { closed } from "../http/schema.ts";

export const TagsQuery = closed({
  ...CursorQuery,
  "filter[q]": Type.Optional(Type.String({ maxLength: 255, description: "A part of its name." })),
});
export type TagsQuery = Static<typeof TagsQuery>;

export const TagInput = closed(
  { name: Type.String({ maxLength: 255, pattern: "\\S", description: "Can't be empty." }) },
  { examples: [{ name: "Safety" }] },
);
export type TagInput = Static<typeof TagInput>;
