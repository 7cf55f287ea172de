import type { StoredStatus } from "../assignments/assignments.ts";
import type { StoredAssignment } from "../assignments/assignments.ts";
import type { Learner } from "../assignments/learners.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { conflict, notFound } from "../http/problem.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import { completeAssignments } from "./path-completion.ts";
import { findPlan, findProgress } from "./path-facts.ts";
import { findHolders, isNews, putProgress, toAssignment } from "./path-holders.ts";
import { describeSteps, type LessonStep, type PathStep } from "./path-steps.ts";

/** Where a learner has got to in a lesson, by an attempt. */
export interface LessonOutcome {
  readonly user_id: number;
  readonly lesson_id: number;
  /** The assignment in which the attempt was begun; null for one from the library. */
  readonly assignment_id: number | null;
  readonly status: StoredStatus;
  readonly score: number | null;
  readonly started_at: string;
  readonly completed_at: string | null;
}

/**
 * Notes an attempt's outcome in every path and course assignment of the learner in which the lesson counts, and completes
 * those that are complete by it: an attempt that was begun elsewhere counts in a course, and in a path that says so. What
 * is completed stays as it is, until it is assigned anew. Call it when an attempt begins (Incomplete), is finished,
 * graded, or failed (Incomplete). Counts nothing: the caller passes what it gives to countAssignments. Needs the
 * assignment counters locked.
 * @returns the assignments that it has changed, and whose progress in a lesson; and those in which the lesson was still
 * open, also where the outcome is what it was before.
 */
export async function advancePaths(
  tx: WriteTx,
  outcome: LessonOutcome,
  at: string,
): Promise<{
  before: StoredAssignment[];
  after: StoredAssignment[];
  learners: Learner[];
  counting: readonly number[];
}> {
  const { lesson_id, user_id } = outcome;
  const found = await findHolders(tx, outcome);
  const counting = found.flatMap(({ id, progress_status }) => (progress_status === "Completed" ? [] : id));
  const before = found.filter((row) => isNews(row, outcome)).map(toAssignment);
  if (before.length === 0) return { before: [], after: [], learners: [], counting };
  const ids = before.map(({ id }) => id);
  await putProgress(tx, ids, outcome);
  await tx.sql
    .updateTable("assignments")
    .set((eb) => ({ started_at: eb.fn.coalesce("started_at", eb.val(outcome.started_at)), updated_at: at }))
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val(ids))))
    .execute();
  const touched = before.map((row) => ({
    ...row,
    started_at: row.started_at ?? outcome.started_at,
    updated_at: at,
  }));
  const after = outcome.status === "Completed" ? await completeAssignments(tx, touched, at) : touched;
  return { before, after, learners: [{ lesson_id, user_id }], counting };
}

/** What a learner has before them in an assigned path. */
export interface PathDescription {
  readonly assignment_id: number;
  readonly path_id: number;
  readonly steps: readonly PathStep[];
  /** The lesson to go on with: the first that is open; null where none is, or the path is completed. */
  readonly next: Pick<LessonStep, "type" | "id" | "title" | "state"> | null;
  /** Where no lesson is open: when the first opens, as far as that is known. */
  readonly next_opens_at: string | null;
}

/**
 * Shows the path of an assignment as its learner meets it: every step with its state, and the next thing to do. Whose
 * assignment it is the caller has made sure of.
 * @throws Problem 404 when there is no such assignment of a path.
 */
export async function describePath(tx: Tx, assignment_id: number): Promise<PathDescription> {
  const description = (await describePaths(tx, [assignment_id])).get(assignment_id);
  if (description === undefined) throw notFound("Path");
  return description;
}

/**
 * The same for many assignments, with four statements in all.
 * @returns by assignment; one that is not of a path is absent.
 */
export async function describePaths(
  tx: Tx,
  assignmentIds: readonly number[],
): Promise<Map<number, PathDescription>> {
  const assignments = await findPathAssignments(tx, assignmentIds);
  const steps = await findSteps(tx, assignments);
  return new Map(assignments.map((row) => [row.id, toDescription(row, steps.get(row.id) ?? [])]));
}

function toDescription({ id, path_id, status }: PathAssignment, steps: readonly PathStep[]): PathDescription {
  // Who has completed the path has nothing to do, also where a newer version has more in it.
  const lessons = status === "Completed" ? [] : [...walkLessons(steps)];
  const next = lessons.find(({ state }) => state === "open" || state === "in_progress");
  const openings = lessons.flatMap(({ locked_until }) => locked_until ?? []).toSorted();
  return {
    assignment_id: id,
    path_id,
    steps: steps.map(toShown),
    next: next === undefined ? null : { type: "lesson", id: next.id, title: next.title, state: next.state },
    next_opens_at: next === undefined ? utcTimeOrNull(openings[0] ?? null) : null,
  };
}

/**
 * Makes sure that a learner may take a lesson of an assignment now: in a path it may stand behind what is not finished,
 * or behind a wait. Where the path has it several times, one that is open is enough.
 * @throws Problem 409 that says what is locked, by what, and until when; 404 for a lesson that the path has not.
 */
export async function requireUnlocked(
  tx: Tx,
  { assignment_id, lesson_id }: { readonly assignment_id: number; readonly lesson_id: number },
): Promise<void> {
  const assignments = await findPathAssignments(tx, [assignment_id]);
  if (assignments.length === 0) return;
  const steps = (await findSteps(tx, assignments)).get(assignment_id);
  const found = [...walkLessons(steps ?? [])].filter(({ id }) => id === lesson_id);
  const [first] = found;
  if (first === undefined) throw notFound("Lesson");
  if (found.some(({ state }) => state !== "locked")) return;
  const { because, locked_until } = first;
  if (locked_until !== null) {
    throw conflict(`“${first.title}” is locked until ${utcTime(locked_until)}: take it then`);
  }
  throw conflict(
    `“${first.title}” is locked: first finish ${because?.title ? `“${because.title}”` : "what stands before it"}`,
  );
}

interface PathAssignment {
  readonly id: number;
  readonly path_id: number;
  readonly assigned_at: string;
  readonly reassigned_at: string | null;
  readonly status: StoredStatus;
}

/** Those of the assignments that are of paths. */
async function findPathAssignments(tx: Tx, ids: readonly number[]): Promise<PathAssignment[]> {
  if (ids.length === 0) return [];
  return tx.sql
    .selectFrom("assignments")
    .select(["id", "assignable_id as path_id", "assigned_at", "reassigned_at", "status"])
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...ids]))))
    .where("assignable_type", "=", "LearningPaths::Path")
    .execute();
}

/** The steps of each of the assignments, by the assignment. */
async function findSteps(
  tx: Tx,
  assignments: readonly PathAssignment[],
): Promise<Map<number, readonly PathStep[]>> {
  if (assignments.length === 0) return new Map();
  const paths = [...new Set(assignments.map(({ path_id }) => path_id))];
  const ids = assignments.map(({ id }) => id);
  const [plan, rows] = await Promise.all([findPlan(tx, paths), findProgress(tx, ids)]);
  const progress = Map.groupBy(rows, ({ assignment_id }) => assignment_id);
  const shared = { ...plan, now: tx.now, time_zone: tx.company.time_zone };
  return new Map(
    assignments.map(({ id, path_id, assigned_at, reassigned_at }) => {
      const own = new Map(progress.get(id)?.map((row) => [row.lesson_id, row]));
      const facts = { ...shared, progress: own, begun_at: reassigned_at ?? assigned_at };
      return [id, describeSteps(facts, path_id)];
    }),
  );
}

/** The lessons in the order that they are met. */
function* walkLessons(steps: readonly PathStep[]): Generator<LessonStep> {
  for (const step of steps) {
    if (step.type === "lesson") yield step;
    if (step.type === "path") yield* walkLessons(step.steps);
  }
}

/** A step with its times as answers write them. */
function toShown(step: PathStep): PathStep {
  const shown = { ...step, locked_until: utcTimeOrNull(step.locked_until) };
  if (shown.type === "path") return { ...shown, steps: shown.steps.map(toShown) };
  if (shown.type !== "lesson") return shown;
  return {
    ...shown,
    started_at: utcTimeOrNull(shown.started_at),
    completed_at: utcTimeOrNull(shown.completed_at),
  };
}
