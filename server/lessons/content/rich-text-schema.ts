import { Type, type Static } from "typebox";
import { closed, component } from "../../http/schema.ts";
import { MOST_TEXT_CHARACTERS, MOST_URL_CHARACTERS } from "./limits.ts";

const MarkType = Type.Unsafe<"link" | "bold" | "italic" | "strike" | "code">({
  type: "string",
  enum: ["link", "bold", "italic", "strike", "code"],
});

export const RichTextMark = component(
  "RichTextMark",
  closed({
    type: MarkType,
    attrs: Type.Optional(
      closed(
        {
          href: Type.String({
            maxLength: MOST_URL_CHARACTERS,
            pattern: "^(https?://|mailto:)[^\\s\\p{Cc}<>\\\\]+$",
            description:
              "Must be an address that begins with https://, http:// or mailto: and has no spaces.",
          }),
        },
        { description: "Of a link alone, which needs it." },
      ),
    ),
  }),
);
export type RichTextMark = Static<typeof RichTextMark>;

/** The nodes that stand below each other: in the document, in a quotation, in the item of a list. */
export const BLOCK_NODES = [
  "paragraph",
  "heading",
  "bulletList",
  "orderedList",
  "blockquote",
  "table",
] as const;

const NODES = [
  ...BLOCK_NODES,
  "listItem",
  "tableRow",
  "tableHeader",
  "tableCell",
  "hardBreak",
  "text",
] as const;
export type RichTextNodeType = (typeof NODES)[number];

/** Written by hand, as the type of a schema that holds itself can't be inferred. */
export interface RichTextNode {
  type: RichTextNodeType;
  attrs?: { level?: number; start?: number };
  content?: RichTextNode[];
  text?: string;
  marks?: RichTextMark[];
}

export const RichTextNode = component(
  "RichTextNode",
  Type.Unsafe<RichTextNode>(
    closed(
      {
        type: Type.Unsafe<RichTextNodeType>({ type: "string", enum: [...NODES] }),
        attrs: Type.Optional(
          closed({
            level: Type.Optional(
              Type.Integer({ minimum: 1, maximum: 4, description: "Of a heading alone." }),
            ),
            start: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: 999_999_999,
                description: "The first number of an ordered list, where it is not 1.",
              }),
            ),
          }),
        ),
        content: Type.Optional(Type.Array(Type.Unsafe<RichTextNode>({ $ref: "RichTextNode#" }))),
        text: Type.Optional(Type.String({ minLength: 1, maxLength: MOST_TEXT_CHARACTERS })),
        marks: Type.Optional(Type.Array(Type.Unsafe<RichTextMark>({ $ref: "RichTextMark#" }))),
      },
      { description: "A node of rich text, as the ProseMirror and Tiptap editors write it." },
    ),
  ),
);

export const RichText = component(
  "RichText",
  closed(
    { type: Type.Literal("doc"), content: Type.Array(Type.Unsafe<RichTextNode>({ $ref: "RichTextNode#" })) },
    {
      description:
        "Rich text, as the ProseMirror and Tiptap editors write it: paragraphs, headings 1 to 4, lists, quotations and tables; text with bold, italic, strike, code and link. Never HTML.",
    },
  ),
);
export type RichText = Static<typeof RichText>;
