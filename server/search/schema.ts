import { Type, type Static } from "typebox";
import { CursorQuery } from "../http/cursor.ts";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";
import { Tag } from "../tags/schema.ts";
import { languages } from "./languages.ts";
import { MOST_QUERY_CHARACTERS } from "./query.ts";

const kind = Type.Unsafe<"lesson" | "path">({
  type: "string",
  enum: ["lesson", "path"],
  description: "A lesson or a path.",
});

const q = Type.String({
  maxLength: MOST_QUERY_CHARACTERS,
  description: "Words. Of the last one its beginning is enough.",
});

export const Language = Type.Unsafe<(typeof languages)[number]>({ type: "string", enum: [...languages] });

/** A text with the words marked that were searched for. */
export const MarkedText = component(
  "MarkedText",
  closed({
    text: Type.String({ description: "Plain text." }),
    marks: Type.Array(
      closed({
        start: Type.Integer({ description: "Where the word begins, in UTF-16 code units." }),
        end: Type.Integer({ description: "Where it has ended." }),
      }),
    ),
  }),
);

/** What a search found. */
export const SearchResult = component(
  "SearchResult",
  closed({
    resource_type: kind,
    id: Id,
    title: ref(MarkedText),
    snippet: Type.Unsafe<Static<typeof MarkedText> | null>({
      anyOf: [ref(MarkedText), { type: "null" }],
      description: "Where the words stand in the description or the text; null where they don't.",
    }),
  }),
);

/** Something in the library. */
export const LibraryItem = component(
  "LibraryItem",
  closed({
    resource_type: kind,
    id: Id,
    title: Type.String(),
    description: nullable(Type.String()),
    language: nullable(Type.String({ description: "The language of a lesson; null for a path." })),
    last_updated_at: nullable(Time),
    tags: Type.Array(ref(Tag)),
  }),
);

export const searchComponents = [MarkedText, SearchResult, LibraryItem] as const;

export const SearchQuery = closed({ q, ...CursorQuery });
export type SearchQuery = Static<typeof SearchQuery>;

export const LibraryQuery = closed({
  ...CursorQuery,
  "filter[q]": Type.Optional(q),
  "filter[tag_id]": Type.Optional(Id),
  "filter[type]": Type.Optional(kind),
});
export type LibraryQuery = Static<typeof LibraryQuery>;

export const NewLibraryView = closed(
  { resource_type: kind, id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) },
  { examples: [{ resource_type: "lesson", id: 12 }] },
);
export type NewLibraryView = Static<typeof NewLibraryView>;

/** What a person has opened in the library, and how often. */
export const LibraryView = closed({ resource_type: kind, id: Id, views: Type.Integer() });
