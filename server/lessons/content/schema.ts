import { Type, type Static, type TSchema } from "typebox";
import { closed, component, Id, nullable, ref } from "../../http/schema.ts";
import {
  MOST_BLOCKS,
  MOST_LINE_CHARACTERS,
  MOST_PAGES,
  MOST_SECTIONS,
  MOST_TEXT_CHARACTERS,
  MOST_URL_CHARACTERS,
} from "./limits.ts";
import { defaulted, Line, MaybeLine, Name, questionSchemas } from "./question-schema.ts";
import { RichText, RichTextMark, RichTextNode } from "./rich-text-schema.ts";

const file_id = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "A file of the company.",
});

export const RichTextBlock = component(
  "RichTextBlock",
  closed({ id: Name, type: Type.Literal("rich_text"), content: ref(RichText) }),
);

export const ImageBlock = component(
  "ImageBlock",
  closed({
    id: Name,
    type: Type.Literal("image"),
    file_id,
    alt: defaulted(
      Type.String({
        maxLength: MOST_LINE_CHARACTERS,
        default: "",
        description: "What the image shows, for those who don't see it.",
      }),
    ),
    caption: MaybeLine,
    decorative: defaulted(
      Type.Boolean({
        default: false,
        description: "Whether the image says nothing, so that it needs no alt.",
      }),
    ),
  }),
);

export const VideoBlock = component(
  "VideoBlock",
  closed({
    id: Name,
    type: Type.Literal("video"),
    file_id,
    caption: MaybeLine,
    captions_file_id: defaulted(nullable(Id, { default: null, description: "A WebVTT file." })),
  }),
);

export const AudioBlock = component(
  "AudioBlock",
  closed({ id: Name, type: Type.Literal("audio"), file_id, caption: MaybeLine }),
);

export const FileBlock = component(
  "FileBlock",
  closed({ id: Name, type: Type.Literal("file"), file_id, name: Line }),
);

export const EmbedBlock = component(
  "EmbedBlock",
  closed({
    id: Name,
    type: Type.Literal("embed"),
    url: Type.String({
      maxLength: MOST_URL_CHARACTERS,
      description: "An https address of a host that content may be embedded from.",
    }),
  }),
);

export const CodeBlock = component(
  "CodeBlock",
  closed({
    id: Name,
    type: Type.Literal("code"),
    language: defaulted(
      Type.String({
        pattern: "^[A-Za-z0-9+#._-]{0,40}$",
        default: "",
        description: "Must be the short name of a language, such as js, or empty.",
      }),
    ),
    text: Type.String({ maxLength: MOST_TEXT_CHARACTERS }),
  }),
);

export const CALLOUTS = ["info", "tip", "warning", "danger"] as const;

export const CalloutBlock = component(
  "CalloutBlock",
  closed({
    id: Name,
    type: Type.Literal("callout"),
    kind: Type.Unsafe<(typeof CALLOUTS)[number]>({ type: "string", enum: [...CALLOUTS] }),
    content: ref(RichText),
  }),
);

export const DividerBlock = component("DividerBlock", closed({ id: Name, type: Type.Literal("divider") }));

/** Every kind of block by its type. */
export const blockSchemas = [
  RichTextBlock,
  ImageBlock,
  VideoBlock,
  AudioBlock,
  FileBlock,
  EmbedBlock,
  CodeBlock,
  CalloutBlock,
  DividerBlock,
  ...questionSchemas,
] as const;
export type LessonBlock = Static<(typeof blockSchemas)[number]>;

export const LessonBlock = component(
  "LessonBlock",
  Type.Unsafe<LessonBlock>({ anyOf: blockSchemas.map((schema) => ref(schema)) }),
);

export const LessonPage = component(
  "LessonPage",
  closed({ id: Name, title: Line, blocks: Type.Array(ref(LessonBlock), { maxItems: MOST_BLOCKS }) }),
);
export type LessonPage = Static<typeof LessonPage>;

export const LessonSection = component(
  "LessonSection",
  closed({ id: Name, title: Line, pages: Type.Array(ref(LessonPage), { maxItems: MOST_PAGES }) }),
);
export type LessonSection = Static<typeof LessonSection>;

/** What a lesson teaches, as it is written, stored and published. */
export const LessonDocument = component(
  "LessonDocument",
  closed(
    { sections: Type.Array(ref(LessonSection), { maxItems: MOST_SECTIONS }) },
    { description: "Ids of sections, pages and blocks are unique in the lesson." },
  ),
);
export type LessonDocument = Static<typeof LessonDocument>;

/** The schemas that stand in the API's document by name, those that others refer to first. */
export const documentComponents: readonly TSchema[] = [
  RichTextMark,
  RichTextNode,
  RichText,
  ...blockSchemas,
  LessonBlock,
  LessonPage,
  LessonSection,
  LessonDocument,
];

/** A lesson that nothing is written in yet. */
export function emptyDocument(): LessonDocument {
  return { sections: [] };
}
