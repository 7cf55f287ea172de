import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { LessonQuestion } from "../lessons/content/question-schema.ts";
import { listQuestions } from "../lessons/content/questions.ts";
import type { LessonDocument } from "../lessons/content/schema.ts";

/** Which version of a lesson. published_at tells apart versions of different databases, as one process of tests has. */
export interface VersionKey {
  readonly lesson_id: number;
  readonly version: number;
  readonly published_at: string;
}

/** What a published version asks and teaches. */
export interface Version {
  readonly document: LessonDocument;
  /** By id, in reading order. */
  readonly questions: ReadonlyMap<string, LessonQuestion>;
}

/** Characters of versions that a process remembers: an answer is then saved without reading a whole lesson for it. */
const MOST_REMEMBERED_CHARACTERS = 32_000_000;

interface Remembered extends Version {
  readonly characters: number;
}

const remembered = new Map<string, Remembered>();
let characters = 0;

/** A published version, which never changes: so it is remembered, those that were not used for longest forgotten first. */
export async function getVersion(tx: Tx, key: VersionKey): Promise<Version> {
  const name = `${tx.company.id}/${key.lesson_id}/${key.version}/${key.published_at}`;
  const known = remembered.get(name);
  if (known !== undefined) {
    remembered.delete(name);
    remembered.set(name, known);
    return known;
  }
  const read = await readVersion(tx, key);
  remember(name, read);
  return read;
}

async function readVersion(tx: Tx, { lesson_id, version }: VersionKey): Promise<Remembered> {
  const { rows } = await sql<{ document: LessonDocument; characters: number }>`
    select content as document, length(content::text) as characters
    from lesson_versions
    where company_id = ${tx.company.id} and lesson_id = ${lesson_id} and number = ${version}`.execute(tx.sql);
  const [row] = rows;
  if (row === undefined) throw new Error(`lesson ${lesson_id} has no version ${version}`);
  return {
    ...row,
    questions: new Map(listQuestions(row.document).map((question) => [question.id, question])),
  };
}

function remember(name: string, read: Remembered): void {
  characters += read.characters - (remembered.get(name)?.characters ?? 0);
  remembered.set(name, read);
  for (const [oldest, { characters: freed }] of remembered) {
    if (characters <= MOST_REMEMBERED_CHARACTERS || oldest === name) return;
    remembered.delete(oldest);
    characters -= freed;
  }
}
