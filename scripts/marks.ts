import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";

// Prints the marks that the house style holds itself to, measured on what git tracks.
const MARKS = {
  medianFile: 80,
  longestFile: 400,
  longestFunction: 60,
  any: 0,
  dependencies: 25,
  filesPerEndpoint: 3,
};

interface Source {
  readonly file: string;
  readonly text: string;
  readonly lines: number;
  readonly isTest: boolean;
}

const generated = new Set(["server/db/schema.ts"]);
const sources = execFileSync("git", ["ls-files", "*.ts", "*.tsx"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && !generated.has(file))
  .map((file): Source => {
    const text = readFileSync(file, "utf8");
    const isTest = file.includes(".test.") || file.startsWith("server/test/");
    return { file, text, lines: text.split("\n").length - 1, isTest };
  });
const code = sources.filter(({ isTest }) => !isTest);
const tests = sources.filter(({ isTest }) => isTest);
const sizes = code.map(({ lines }) => lines).toSorted((a, b) => a - b);
const longestFile = code.toSorted((a, b) => b.lines - a.lines)[0];
const longestFunction = code.flatMap(functions).toSorted((a, b) => b.lines - a.lines)[0];
const { dependencies }: { dependencies: object } = JSON.parse(readFileSync("package.json", "utf8"));
const codeLines = total(code.filter(({ file }) => file.startsWith("server/")));
const testLines = total(tests);

console.table([
  row("files of code", code.length),
  row("median file, lines", sizes[Math.floor(sizes.length / 2)], MARKS.medianFile),
  row("largest file, lines", `${longestFile?.lines} ${longestFile?.file}`, MARKS.longestFile),
  row("longest function, lines", `${longestFunction?.lines} ${longestFunction?.name}`, MARKS.longestFunction),
  row("any", code.concat(tests).flatMap(anys).length, MARKS.any),
  row(
    "test lines to code lines",
    `${testLines} : ${codeLines} = ${(testLines / codeLines).toFixed(2)}`,
    "≥ 1",
  ),
  row("runtime dependencies", Object.keys(dependencies).length, MARKS.dependencies),
  row("files opened to add an endpoint", "schema.ts, routes.ts, <noun>.ts", MARKS.filesPerEndpoint),
]);

function row(mark: string, measured: unknown, bar: unknown = "") {
  return { mark, measured, bar };
}

function total(of: readonly Source[]): number {
  return of.reduce((sum, { lines }) => sum + lines, 0);
}

function functions({ file, text }: Source): { name: string; lines: number }[] {
  const found: { name: string; lines: number }[] = [];
  const note = (node: { start: number; end: number; id?: { name?: string } | null }): void => {
    const lines = text.slice(node.start, node.end).split("\n").length;
    found.push({ name: `${node.id?.name ?? "(anonymous)"} in ${file}`, lines });
  };
  new Visitor({ FunctionDeclaration: note, FunctionExpression: note, ArrowFunctionExpression: note }).visit(
    parseSync(file, text).program,
  );
  return found;
}

function anys({ file, text }: Source): string[] {
  const found: string[] = [];
  new Visitor({ TSAnyKeyword: () => void found.push(file) }).visit(parseSync(file, text).program);
  return found;
}
