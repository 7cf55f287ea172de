import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { variables } from "../server/config.ts";
import { validateDocument } from "./openapi.ts";
import { rolesText } from "./roles.ts";
import { migrate } from "../server/db/migrate.ts";
import { startCluster } from "../server/test/cluster.ts";

// Writes the files that are made from others; with --check only says whether they are up to date.
const isCheck = process.argv.includes("--check");
const cluster = await startCluster();
const stale: string[] = [];
try {
  await migrate(cluster.url);
  await update("server/db/schema.ts", schemaTypes);
  await update("docs/roles.md", rolesText);
  await update("docs/operating.md", (text) => replaceBetween(text, "variables", variableTable()));
  await validateDocument(cluster.url);
} finally {
  await cluster.stop();
}
if (isCheck && stale.length > 0) {
  console.error(`Not up to date: ${stale.join(", ")}. Run: npm run generate`);
  process.exit(1);
}

async function update(file: string, make: (text: string) => string): Promise<void> {
  const before = await readFile(file, "utf8").catch(() => "");
  const after = make(before);
  if (after === before) return;
  stale.push(file);
  if (!isCheck) await writeFile(file, after);
}

/** The types of the tables, read from a database that has all migrations. */
function schemaTypes(): string {
  const args = ["--config-file", "scripts/codegen.json", "--url", cluster.url, "--print"];
  const text = execFileSync("kysely-codegen", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return text.slice(text.indexOf("/**"));
}

function variableTable(): string {
  const rows = Object.values(variables).map(
    ({ name, type, default: byDefault, meaning }) =>
      `| \`${name}\` | ${type} | ${byDefault ? `\`${byDefault}\`` : "—"} | ${meaning} |`,
  );
  return ["| Variable | Value | Default | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function replaceBetween(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the file has no place for ${name}`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}
