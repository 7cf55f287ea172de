import type { Static } from "typebox";
import type { StoredStatus } from "../assignments/assignments.ts";
import { checker, momentOrNull } from "./check.ts";
import { AssignmentContentItem, type AssignmentItem } from "./schema.ts";
import { wrong } from "./wrong.ts";

/** A learner's progress in a lesson of an assigned path. The pointer is of the lesson's id. */
export interface LessonProgress {
  readonly lesson_id: number;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly status: StoredStatus;
  readonly score: number | null;
  readonly pointer: string;
}

/**
 * The progress that a path assignment tells of: in its contents, which may show a lesson more than once, and in
 * `progress`, whose word counts where both speak. A lesson that nobody has begun has none.
 */
export function progressOf(item: Static<typeof AssignmentItem>, pointer: string): Iterable<LessonProgress> {
  if (item.assignable_type !== "LearningPaths::Path") return [];
  const byLesson = new Map<number, LessonProgress>();
  for (const found of contentsOf(item.contents ?? [], `${pointer}/contents`)) {
    const known = byLesson.get(found.lesson_id);
    if (known === undefined || rank(found) > rank(known)) byLesson.set(found.lesson_id, found);
  }
  for (const [index, { lesson_id, status, score, ...times }] of (item.progress ?? []).entries()) {
    byLesson.set(lesson_id, {
      lesson_id,
      ...toTimes(times),
      status,
      score: score ?? null,
      pointer: `${pointer}/progress/${index}/lesson_id`,
    });
  }
  return byLesson.values();
}

/** The lessons with progress in contents nested to any depth; a list of what is left to look at takes the stack's place. */
function contentsOf(contents: readonly unknown[], pointer: string): LessonProgress[] {
  const found: LessonProgress[] = [];
  const left = [{ contents, pointer }];
  for (let level = left.pop(); level !== undefined; level = left.pop()) {
    for (const [index, value] of level.contents.entries()) {
      const at = `${level.pointer}/${index}`;
      const item = checkContent(value, at);
      const kind = item.resource_type ?? item.type;
      if (kind === undefined) throw wrong(`${at}/resource_type`, "is required");
      if (kind === "path") left.push({ contents: item.contents ?? [], pointer: `${at}/contents` });
      if (kind === "lesson" && hasBegun(item)) found.push(toProgress(item, `${at}/id`));
    }
  }
  return found;
}

const checkContent = checker(AssignmentContentItem);
type Content = Static<typeof AssignmentContentItem>;

function hasBegun({ started_at, completed_at, score, status }: Content): boolean {
  return (
    started_at != null || completed_at != null || score != null || (status ?? "Incomplete") !== "Incomplete"
  );
}

function toProgress(item: Content, pointer: string): LessonProgress {
  const { id: lesson_id, status = "Incomplete", score = null } = item;
  return { lesson_id, ...toTimes(item), status, score, pointer };
}

interface Times {
  readonly started_at?: string | null;
  readonly completed_at?: string | null;
}

function toTimes({ started_at, completed_at }: Times) {
  return { started_at: momentOrNull(started_at), completed_at: momentOrNull(completed_at) };
}

/** Of two that speak of the same lesson, the one that is further along. */
function rank({ status, started_at }: LessonProgress): number {
  if (status === "Completed") return 3;
  if (status === "Grade Pending") return 2;
  return started_at === null ? 0 : 1;
}
