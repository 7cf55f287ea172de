import type { RichText, RichTextNode } from "./rich-text-schema.ts";

/** Where a blank stands in the text of a prompt, such as `{{a}}`. */
export const BLANK = /\{\{([a-z0-9-]{1,40})\}\}/g;

/** The ids of the blanks of a prompt, in the order of reading. A blank can't stand in code. */
export function listBlanks(node: RichText | RichTextNode): string[] {
  if ("text" in node && node.text !== undefined) {
    if (isCode(node)) return [];
    return [...node.text.matchAll(BLANK)].map(([, id = ""]) => id);
  }
  return (node.content ?? []).flatMap((child) => listBlanks(child));
}

/** Whether a text is code, where a blank is what it looks like. */
export function isCode({ marks = [] }: RichTextNode): boolean {
  return marks.some(({ type }) => type === "code");
}

/** A prompt whose blanks have other ids. */
export function renameBlanks(doc: RichText, rename: (id: string) => string): RichText {
  return { ...doc, content: doc.content.map((node) => renameIn(node, rename)) };
}

function renameIn(node: RichTextNode, rename: (id: string) => string): RichTextNode {
  const renamed = { ...node };
  if (node.text !== undefined && !isCode(node))
    renamed.text = node.text.replaceAll(BLANK, (_, id) => `{{${rename(id)}}}`);
  if (node.content !== undefined) renamed.content = node.content.map((child) => renameIn(child, rename));
  return renamed;
}
