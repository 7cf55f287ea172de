import { Problem } from "../http/problem.ts";
import { readDocument } from "../lessons/content/read.ts";
import { isGrant } from "../privileges/privileges.ts";
import { furtherTables } from "./further-tables.ts";
import type { FurtherPart } from "./parts.ts";
import { wrong } from "./wrong.ts";

/**
 * Checks what the database can't: that it is a row with its keys, that a lesson's content is one, that privileges exist.
 * @throws OperatorError
 */
export function checkFurther(
  part: FurtherPart,
  value: unknown,
  pointer: string,
): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrong(pointer, "must be an object");
  }
  const row: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(value));
  for (const key of furtherTables[part].keys) {
    if (row[key] === undefined || row[key] === null) throw wrong(`${pointer}/${key}`, "is required");
  }
  if (part === "lesson_drafts" || part === "lesson_versions")
    checkContent(row["content"], `${pointer}/content`);
  if (part === "role_privileges") checkGrants(row["privileges"], `${pointer}/privileges`);
  return row;
}

function checkContent(content: unknown, pointer: string): void {
  try {
    readDocument(content);
  } catch (error) {
    if (error instanceof Problem) throw wrong(pointer, error.message);
    throw error;
  }
}

function checkGrants(grants: unknown, pointer: string): void {
  const isRight =
    Array.isArray(grants) && grants.every((grant) => typeof grant === "string" && isGrant(grant));
  if (!isRight) throw wrong(pointer, "must be privileges, such as lessons.write:own");
}
