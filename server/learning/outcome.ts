import { sql } from "kysely";
import type { StoredAssignment, StoredStatus } from "../assignments/assignments.ts";
import { countAssignments } from "../assignments/counts.ts";
import type { WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import type { AttemptRow } from "./attempts.ts";
import { advancePaths } from "./path-progress.ts";

/** What happened to an attempt. */
export type Happening = "begun" | "waiting" | "completed" | "failed";

export interface Outcome {
  readonly attempt: Pick<AttemptRow, "id" | "user_id" | "lesson_id" | "assignment_id" | "started_at">;
  readonly happened: Happening;
  readonly score: number | null;
  /** When the learner finished; null for one that is begun. */
  readonly finished_at: string | null;
  readonly at: string;
}

/**
 * Writes what happened to an attempt wherever it counts: the learner's own assignment of the lesson, by whatever way it
 * was taken; the paths and courses that have the lesson; the library; and all that is counted of these. Needs
 * `learningCounters` locked, and the attempt's own row written before.
 * @returns the path's or course's assignment in which it counts, where no assignment of the lesson itself has moved and
 * tells of it: the one that the attempt was begun in, if it is among several.
 */
export async function noteOutcome(tx: WriteTx, outcome: Outcome): Promise<number | undefined> {
  const { attempt, happened, at } = outcome;
  const direct = await advanceDirect(tx, outcome);
  const paths = await advancePaths(
    tx,
    {
      user_id: attempt.user_id,
      lesson_id: attempt.lesson_id,
      assignment_id: attempt.assignment_id,
      status: statuses[happened],
      score: outcome.score,
      started_at: attempt.started_at,
      completed_at: happened === "failed" ? null : outcome.finished_at,
    },
    at,
  );
  const isCounted = direct.before.length > 0 || paths.before.length > 0;
  const isOfLibrary = attempt.assignment_id === null && direct.before.length === 0;
  if (isOfLibrary) await noteLibraryUse(tx, outcome);
  // The path may have lost the lesson meanwhile: what counts nowhere else counts as taken from the library. Below the
  // pass mark it counts nowhere, and stays a part of what it was begun in.
  const isFinished = happened === "waiting" || happened === "completed";
  if (!isOfLibrary && !isCounted && isFinished) await bind(tx, attempt.id, null);
  await countAssignments(tx, {
    before: [...direct.before, ...paths.before],
    after: [...direct.after, ...paths.after],
    // What was waiting may count no more, so everything but a beginning is looked at.
    learners: happened === "begun" ? paths.learners : [...paths.learners, attempt],
    at,
  });
  if (direct.before.length > 0) return undefined;
  return paths.counting.find((id) => id === attempt.assignment_id) ?? paths.counting[0];
}

const statuses: Readonly<Record<Happening, StoredStatus>> = {
  begun: "Incomplete",
  waiting: "Grade Pending",
  completed: "Completed",
  failed: "Incomplete",
};

type State = Pick<StoredAssignment, "status" | "score" | "reassigned_at" | "started_at" | "completed_at">;

/** Moves the learner's own assignment of the lesson on, if there is one that the attempt counts for. */
async function advanceDirect(
  tx: WriteTx,
  outcome: Outcome,
): Promise<{ before: StoredAssignment[]; after: StoredAssignment[] }> {
  const { attempt, at } = outcome;
  const { user_id, lesson_id } = attempt;
  const [before] = await selectDirect(tx, { company_id: tx.company.id, user_id, lesson_id });
  const state = before && nextState(before, outcome);
  if (before === undefined || state === undefined) return { before: [], after: [] };
  await updateDirect(tx, { ...state, updated_at: at, company_id: tx.company.id, id: before.id });
  if (attempt.assignment_id === null) await bind(tx, attempt.id, before.id);
  return { before: [before], after: [{ ...before, ...state, updated_at: at }] };
}

const selectDirect = prepare<{ company_id: number; user_id: number; lesson_id: number }, StoredAssignment>(
  (_db, place) => sql<StoredAssignment>`
    select id, assignee_id, assignable_type, assignable_id, group_id, assigned_at, due_by, reassigned_at, started_at,
      completed_at, updated_at, status, score
    from assignments
    where company_id = ${place("company_id")} and assignee_id = ${place("user_id")}
      and assignable_type = 'Lesson' and assignable_id = ${place("lesson_id")}`,
);

interface DirectUpdate extends State {
  readonly company_id: number;
  readonly id: number;
  readonly updated_at: string;
}

const updateDirect = prepare<DirectUpdate, object>(
  (_db, place) => sql`
    update assignments
    set status = ${place("status")}, score = ${place("score")}, reassigned_at = ${place("reassigned_at")},
      started_at = ${place("started_at")}, completed_at = ${place("completed_at")},
      updated_at = ${place("updated_at")}
    where company_id = ${place("company_id")} and id = ${place("id")}`,
);

/**
 * What the assignment becomes; undefined where it stays as it is. One that is completed stays so until it is assigned
 * anew, and what was begun before that counts no more. Below the pass mark it is assigned anew by itself: the score is
 * shown until the next one.
 */
function nextState(
  before: StoredAssignment,
  { attempt, happened, score, finished_at, at }: Outcome,
): State | undefined {
  const { status, reassigned_at } = before;
  if (status === "Completed" || (reassigned_at !== null && attempt.started_at < reassigned_at))
    return undefined;
  const since = reassigned_at ?? before.assigned_at;
  const started_at = before.started_at ?? later(attempt.started_at, since);
  const completed_at = finished_at === null ? null : later(finished_at, started_at);
  switch (happened) {
    case "begun":
      return status === "Incomplete" && before.started_at === null
        ? { ...stateOf(before), started_at }
        : undefined;
    case "waiting":
      if (status !== "Incomplete") return undefined;
      return { ...stateOf(before), status: "Grade Pending", started_at, completed_at };
    case "completed":
      return { ...stateOf(before), status: "Completed", score, started_at, completed_at };
    case "failed":
      return { status: "Incomplete", score, reassigned_at: at, started_at: null, completed_at: null };
  }
}

/** Both are PostgreSQL's text in UTC, which compares as the times do. */
function later(one: string, other: string): string {
  return one < other ? other : one;
}

function stateOf({ status, score, reassigned_at, started_at, completed_at }: StoredAssignment): State {
  return { status, score, reassigned_at, started_at, completed_at };
}

/** An attempt counts for one assignment, such as one that came while the lesson was taken from the library; or for none. */
async function bind(tx: WriteTx, attempt_id: number, assignment_id: number | null): Promise<void> {
  await tx.sql
    .updateTable("attempts")
    .set({ assignment_id })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", attempt_id)
    .execute();
}

/** Counts a beginning as a view and a completion as one. */
async function noteLibraryUse(tx: WriteTx, { attempt, happened }: Outcome): Promise<void> {
  if (happened !== "begun" && happened !== "completed") return;
  const [views, completions] = happened === "begun" ? [1, 0] : [0, 1];
  await sql`
    insert into library_uses as use (company_id, user_id, assignable_type, assignable_id, views, completions)
    values (${tx.company.id}, ${attempt.user_id}, 'Lesson', ${attempt.lesson_id}, ${views}, ${completions})
    on conflict (company_id, user_id, assignable_type, assignable_id) do update
    set views = use.views + excluded.views, completions = use.completions + excluded.completions`.execute(
    tx.sql,
  );
}
