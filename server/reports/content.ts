import { sql } from "kysely";
import type { Static } from "typebox";
import type { Thing } from "../assignments/assignments.ts";
import type { Tx } from "../db/db.ts";
import { type CursorPage, cutCursorPage, idAfter } from "../http/cursor.ts";
import { notFound } from "../http/problem.ts";
import { isOwnContent, requireOwnContent } from "../lessons/own.ts";
import type { ContentReport, ContentReportList } from "./schema.ts";
import {
  averageSeconds,
  type Condition,
  distributeScores,
  isOfPeople,
  type People,
  summarise,
  toSummary,
} from "./summary.ts";

/** Content that there are reports of, and what it is called in assignments. */
export type Reported = "lessons" | "paths";
const types = { lessons: "Lesson", paths: "LearningPaths::Path" } as const satisfies Record<
  Reported,
  Thing["assignable_type"]
>;
const nouns = { lessons: "Lesson", paths: "Path" } as const satisfies Record<Reported, string>;

/** What became of a lesson or path. @throws Problem 404 */
export async function reportOnContent(
  tx: Tx,
  { table, id }: { readonly table: Reported; readonly id: number },
  people: People,
): Promise<Static<typeof ContentReport>> {
  const asked = await allowedPeople(tx, { table, id }, people);
  const thing = await tx.sql
    .selectFrom(table)
    .select(["id", "title"])
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .executeTakeFirst();
  if (thing === undefined) throw notFound(nouns[table]);
  return report(tx, { table, thing }, asked);
}

/** A page of the reports on all lessons or paths, by id. */
export async function listContentReports(
  tx: Tx,
  { table, page }: { readonly table: Reported; readonly page: CursorPage },
  people: People,
): Promise<Static<typeof ContentReportList>> {
  const rows = await readContent(tx, { table, after: idAfter(page), limit: page.limit + 1 });
  const { data, next } = cutCursorPage(page, rows, { position: ({ id }) => [id], show: (row) => row });
  const asked = { ...people, ofAll: ownsOnly(tx) };
  return { data: await Promise.all(data.map((thing) => report(tx, { table, thing }, asked))), next };
}

/** Lessons or paths that the viewer may have reports of, by id. */
export async function readContent(
  tx: Tx,
  {
    table,
    after,
    limit,
  }: { readonly table: Reported; readonly after: number | undefined; readonly limit: number },
): Promise<Content[]> {
  return tx.sql
    .selectFrom(table)
    .select(["id", "title"])
    .where("company_id", "=", tx.company.id)
    .where("id", ">", after ?? 0)
    .where((eb) =>
      ownsOnly(tx)
        ? isOwnContent(tx, "reports.read", { type: types[table], id: sql.ref<number>("id") })
        : eb.lit(true),
    )
    .orderBy("id")
    .limit(limit)
    .execute();
}

export interface Content {
  readonly id: number;
  readonly title: string;
}

/** The report on content that is there and may be seen. */
export async function report(
  tx: Tx,
  { table, thing }: { readonly table: Reported; readonly thing: Content },
  people: People,
): Promise<Static<typeof ContentReport>> {
  const condition = isAssignmentOf(tx, { table, id: thing.id }, people);
  const [row, seconds, score_distribution] = await Promise.all([
    summarise(tx, condition),
    averageSeconds(tx, isAttemptAt(tx, { table, id: thing.id }, people)),
    distributeScores(tx, condition),
  ]);
  return { ...thing, summary: toSummary(row, seconds), score_distribution };
}

/** Whether the viewer sees reports of their own content alone, of whoever takes it. */
export function ownsOnly({ viewer }: Tx): boolean {
  return viewer.scope("reports.read") === "own";
}

/** Who writes content sees everybody's results in it; others see those that their privilege reaches. */
export async function allowedPeople(
  tx: Tx,
  { table, id }: { readonly table: Reported; readonly id: number },
  people: People,
): Promise<People> {
  if (!ownsOnly(tx)) return people;
  await requireOwnContent(tx, "reports.read", { type: types[table], id });
  return { ...people, ofAll: true };
}

interface Which {
  readonly table: Reported;
  readonly id: number;
}

function isAssignmentOf(tx: Tx, { table, id }: Which, people: People): Condition {
  const isOf = isOfPeople(tx, people, sql.ref<number>("assignments.assignee_id"));
  return sql`assignable_type = ${types[table]} and assignable_id = ${id} and ${isOf}`;
}

/** The attempts at a lesson; or, for a path, those at its lessons that were begun in an assignment of it. */
function isAttemptAt(tx: Tx, { table, id }: Which, people: People): Condition {
  const isOf = isOfPeople(tx, people, sql.ref<number>("attempts.user_id"));
  if (table === "lessons") return sql`lesson_id = ${id} and ${isOf}`;
  return sql`${isOf} and assignment_id in (
    select assignments.id from assignments
    where assignments.company_id = ${tx.company.id} and assignable_type = ${types.paths} and assignable_id = ${id}
  )`;
}
