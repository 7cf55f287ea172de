import type { Nodes } from "mdast";
import type { BlankNames } from "./markdown-rich-text.ts";
import { DirectiveAttributes, type MarkdownSource, readLine } from "./markdown-source.ts";
import type { TextDirective } from "./markdown-syntax.ts";
import { itemId, takeId } from "./slug.ts";

/** Reads every `:blank[Paris | Lutetia]` of a prompt, and gives each its name in the text. */
export function readBlankDirectives(
  nodes: readonly Nodes[],
  source: MarkdownSource,
): { blanks: unknown[]; names: BlankNames } {
  const read = nodes.flatMap(findBlanks).map((node) => {
    const attributes = new DirectiveAttributes(node, source);
    const [id, case_sensitive] = [attributes.text("id"), attributes.flag("case-sensitive")];
    attributes.close();
    return { node, id, case_sensitive, answers: splitAnswers(readLine(node.children, source)) };
  });
  const taken = new Set(read.flatMap(({ id }) => id ?? []));
  const named = read.map((blank, index) => ({ ...blank, id: blank.id ?? takeId(itemId(index), taken) }));
  return {
    blanks: named.map(({ id, case_sensitive, answers }) => ({ id, case_sensitive, answers })),
    names: new Map(named.map(({ node, id }) => [node, id])),
  };
}

function findBlanks(node: Nodes): TextDirective[] {
  if (node.type === "textDirective" && node.name === "blank") return [node];
  return "children" in node ? node.children.flatMap(findBlanks) : [];
}

/** `Paris | Lutetia` → both; `\|` is the sign itself. */
function splitAnswers(text: string): string[] {
  const answers = [""];
  for (const [part] of text.matchAll(/\\[\\|]|[^]/gu)) {
    if (part === "|") answers.push("");
    else
      answers.push(
        `${answers.pop() ?? ""}${part.length === 2 && part.startsWith("\\") ? part.slice(1) : part}`,
      );
  }
  return answers;
}

/** The other way round. */
export function joinAnswers(answers: readonly string[]): string {
  return answers.map((answer) => answer.replaceAll(/[\\|]/g, String.raw`\$&`)).join(" | ");
}
