import assert from "node:assert/strict";
import { exportBundle } from "../bundle/export.ts";
import { importBundle, type ImportSummary } from "../bundle/import.ts";
import { OperatorError } from "../operator-error.ts";
import { Secrets } from "../secrets.ts";
import { type Answer, type Client, TEST_SECRET, type TestServer } from "./server.ts";

type Bundle = Answer["body"];

/** Imports a bundle, given as an object or as the text of a file. */
export async function importInto(
  { database }: Pick<TestServer, "database">,
  { company }: Pick<Client, "company">,
  bundle: object | string,
): Promise<ImportSummary> {
  return importBundle(database, company, inPieces(bundle));
}

/** Fails unless the import is refused, and gives the message of the refusal. */
export async function refusalOf(
  lectern: Pick<TestServer, "database">,
  client: Pick<Client, "company">,
  bundle: object | string,
): Promise<string> {
  try {
    await importInto(lectern, client, bundle);
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.message;
  }
  return assert.fail("the bundle was imported");
}

/** The text of an export. */
export async function exportText(
  { database }: Pick<TestServer, "database">,
  { company }: Pick<Client, "company">,
): Promise<string> {
  let text = "";
  await exportBundle({ database, secrets: new Secrets(TEST_SECRET) }, company, async (chunk) => {
    text += chunk;
  });
  return text;
}

/** An export as the object that it is. */
export async function exportOf(
  lectern: Pick<TestServer, "database">,
  client: Pick<Client, "company">,
): Promise<Bundle> {
  return JSON.parse(await exportText(lectern, client));
}

/** Bytes at a time: few and odd, so that a piece ends in the middle of everything. */
const PIECE_BYTES = 997;

export async function* inPieces(bundle: object | string): AsyncGenerator<Uint8Array> {
  const bytes =
    bundle instanceof Uint8Array
      ? bundle
      : Buffer.from(typeof bundle === "string" ? bundle : JSON.stringify(bundle));
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}

/** Elements of a bundle that say no more than they must. */
export const least = {
  user: (id: number, more: object = {}) => ({
    id,
    name: `Person ${id}`,
    email: `person.${id}@example.com`,
    role_id: 32,
    ...more,
  }),
  group: (id: number, more: object = {}) => ({ id, name: `Group ${id}`, members: [], managers: [], ...more }),
  lesson: (id: number, more: object = {}) => ({
    id,
    title: `Lesson ${id}`,
    retake_score: 80,
    public: false,
    created_at: "2024-01-02T03:04:05Z",
    ...more,
  }),
  path: (id: number, contents: object[] = [], more: object = {}) => ({
    id,
    title: `Path ${id}`,
    enforced_order: false,
    public: false,
    is_certification: false,
    created_at: "2024-01-02T03:04:05Z",
    contents,
    ...more,
  }),
  course: (id: number, lessons: object[] = [], more: object = {}) => ({
    id,
    title: `Course ${id}`,
    public: false,
    created_at: "2024-01-02T03:04:05Z",
    lessons,
    ...more,
  }),
  assignment: (id: number, assignee_id: number, lesson: number, more: object = {}) => ({
    id,
    assignee_id,
    assignable_type: "Lesson",
    assignable_id: lesson,
    status: "Incomplete",
    assigned_at: "2024-02-03T04:05:06Z",
    updated_at: "2024-02-03T04:05:06Z",
    ...more,
  }),
};
