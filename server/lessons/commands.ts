import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { onCompany } from "../companies/commands.ts";
import { commandActor } from "../companies/create.ts";
import type { Company } from "../companies/companies.ts";
import type { Database, WriteTx } from "../db/db.ts";
import { Problem } from "../http/problem.ts";
import { slug } from "../links.ts";
import { OperatorError } from "../operator-error.ts";
import { print } from "../serving/command.ts";
import { getOverview } from "./catalogue.ts";
import { createFromMarkdown, getMarkdown } from "./markdown.ts";
import { decodeMarkdown } from "./markdown-body.ts";
import { publishLesson } from "./publish.ts";

/** lesson import | export. */
export function addLessonCommands(program: Command): void {
  const lesson = program.command("lesson").description("bring lessons in from Markdown, and write them out");
  lesson
    .command("import")
    .description("make a lesson of each Markdown file: all of them, or none")
    .argument("<file...>", "the files")
    .requiredOption("--subdomain <subdomain>", "into which company")
    .option("--publish", "publish each at once")
    .option("--json", "print what was made as JSON")
    .action(importLessons);
  lesson
    .command("export")
    .description("write lessons as Markdown: their drafts, or what is published of one")
    .argument("<id...>", "the lessons' ids", readIds)
    .requiredOption("--subdomain <subdomain>", "of which company")
    .option("--to <folder>", "a file for each in this folder, in place of standard output")
    .option("--lesson-version <number>", "this version in place of the draft", readPositive)
    .action(exportLessons);
}

interface ImportOptions {
  readonly subdomain: string;
  readonly publish?: true;
  readonly json?: true;
}

async function importLessons(files: readonly string[], options: ImportOptions): Promise<void> {
  const bodies = await Promise.all(files.map(async (file) => ({ file, bytes: await readFileOf(file) })));
  const made = await onCompany(options.subdomain, (database: Database, company: Company) =>
    database.write(company, commandActor, async (tx) => {
      const lessons: { id: number; title: string; file: string }[] = [];
      for (const { file, bytes } of bodies) {
        const { id, title } = await sayingWhere(file, () => importLesson(tx, bytes, options));
        lessons.push({ id, title, file });
      }
      return lessons;
    }),
  );
  if (options.json) return print(JSON.stringify(made));
  for (const { id, title, file } of made) print(`${id}\t${title}\t${file}`);
}

async function readFileOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new OperatorError(
      `${file} can't be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function importLesson(tx: WriteTx, bytes: Buffer, { publish }: ImportOptions) {
  const lesson = await createFromMarkdown(tx, decodeMarkdown(bytes));
  if (!publish) return lesson;
  await publishLesson(tx, lesson.id, {});
  // All that a transaction does to what it makes is told as its beginning: that it was published too is said here.
  const [data, previous] = [await getOverview(tx, lesson.id), { published_version: null }];
  tx.changes.add({ type: "lesson.published", resource_id: lesson.id, user_id: null, data, previous });
  return lesson;
}

interface ExportOptions {
  readonly subdomain: string;
  readonly to?: string;
  readonly lessonVersion?: number;
}

async function exportLessons(
  ids: readonly number[],
  { subdomain, to, lessonVersion }: ExportOptions,
): Promise<void> {
  const texts = await onCompany(subdomain, (database, company) =>
    database.read(company, async (tx) => {
      const found: { id: number; text: string }[] = [];
      for (const id of ids) {
        const { text } = await sayingWhere(`lesson ${id}`, () => getMarkdown(tx, id, lessonVersion));
        found.push({ id, text });
      }
      return found;
    }),
  );
  for (const { id, text } of texts) {
    if (to === undefined) {
      process.stdout.write(text);
      continue;
    }
    const [, title = ""] = /^title: *(.*)$/m.exec(text) ?? [];
    const file = path.join(to, `${[String(id), slug(title)].filter((part) => part !== "").join("-")}.md`);
    await writeFile(file, text);
    print(file);
  }
}

/** What is wrong is the operator's to know, with the file that it is wrong in. */
async function sayingWhere<T>(where: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Problem) throw new OperatorError(`${where}: ${error.message}`);
    throw error;
  }
}

function readIds(given: string, before: readonly number[] = []): number[] {
  return [...before, readPositive(given)];
}

function readPositive(given: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(given)) throw new InvalidArgumentError("Use a positive whole number.");
  return Number(given);
}
