import type { Root, RootContent } from "mdast";
import { remark } from "remark";
import remarkDirective from "remark-directive";
import remarkGfm from "remark-gfm";

export type ContainerDirective = Extract<RootContent, { type: "containerDirective" }>;
export type LeafDirective = Extract<RootContent, { type: "leafDirective" }>;
export type TextDirective = Extract<RootContent, { type: "textDirective" }>;

/** Syntax that lessons don't have: an address in prose stays text, so that what was text is never a link after a round trip. */
const DISABLED = [
  "wwwAutolink",
  "protocolAutolink",
  "emailAutolink",
  "gfmFootnoteDefinition",
  "gfmFootnoteCall",
  "gfmPotentialFootnoteCall",
];

/** What makes a colon before it the beginning of a directive. A time such as 10:30 is none, unless brackets follow. */
const NAME = "(?=[^\\s0-9!-/;-@[-`{-~]|[0-9][^\\s:]*[[{])";

const processor = remark()
  .use(remarkGfm, { tablePipeAlign: false })
  .use(remarkDirective)
  .data("settings", {
    bullet: "-",
    emphasis: "*",
    strong: "*",
    fences: true,
    listItemIndent: "one",
    incrementListMarker: true,
  })
  .freeze();

// What the plug-ins have put in place by now, where it is changed.
const data = processor.data();
data.micromarkExtensions?.push({ disable: { null: DISABLED } });
// The transforms make links of e-mail addresses in text after it was read.
data.fromMarkdownExtensions = (data.fromMarkdownExtensions ?? []).map((extension) =>
  [extension].flat().filter((each) => each.transforms === undefined),
);
for (const extension of data.toMarkdownExtensions ?? []) {
  protectLabels(extension);
  // So that an address is written as it is, without backslashes.
  extension.extensions = (extension.extensions ?? []).filter(
    ({ unsafe }) => unsafe?.some(({ character }) => character === "@") !== true,
  );
}
// "Answer:" before a directive would be "Answer::blank", which is none; and one after an escape is text too.
data.toMarkdownExtensions?.push({ unsafe: [{ character: ":", after: NAME, inConstruct: "phrasing" }] });

type Writing = NonNullable<typeof data.toMarkdownExtensions>[number];

/** The text of a block of one line is escaped as that of a paragraph: "&amp;" and "*" mean themselves in both. */
function protectLabels({ handlers }: Writing): void {
  const write = handlers?.leafDirective;
  if (handlers === undefined || handlers === null || write === undefined || write === null) return;
  handlers.leafDirective = (node, parent, state, info) => {
    const leave = state.enter("phrasing");
    const text = write(node, parent, state, info);
    leave();
    return text;
  };
}

/** The tree of a Markdown text, with positions. */
export function parseTree(text: string): Root {
  return processor.parse(text);
}

/** A tree as Markdown. */
export function writeTree(tree: Root): string {
  return processor.stringify(tree);
}
