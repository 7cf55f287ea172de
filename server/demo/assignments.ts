import type { AssignableType } from "../assignments/assignments.ts";
import { lessonsOfPath } from "./content.ts";

const ASSIGNMENTS = 300;
const USERS = 40;

interface Thing {
  readonly assignable_type: AssignableType;
  readonly assignable_id: number;
}

/** What can be assigned now: all that is not archived. */
const things: readonly Thing[] = [
  ...ids(11).map((assignable_id) => ({ assignable_type: "Lesson" as const, assignable_id })),
  ...ids(4).map((assignable_id) => ({ assignable_type: "LearningPaths::Path" as const, assignable_id })),
  { assignable_type: "Course", assignable_id: 1 },
];

/** What shares a number with neither the users nor the things, so that every pair comes once. */
const STRIDE = 211;

/** Where twenty assignments in a row stand; every status there is. */
const standings: readonly Standing[] = [
  ...repeat<Standing>(9, "completed"),
  ...repeat<Standing>(4, "due"),
  ...repeat<Standing>(2, "open"),
  ...repeat<Standing>(3, "overdue"),
  "again",
  "grade_pending",
];
type Standing = "completed" | "due" | "open" | "overdue" | "again" | "grade_pending";

/** Three hundred assignments, numbered as they were given. `daysAgo` gives the time so many days before now. */
export function makeDemoAssignments(daysAgo: (days: number) => string) {
  return ids(ASSIGNMENTS)
    .map((number) => toAssignment(number, daysAgo))
    .toSorted((a, b) => (a.assigned_at < b.assigned_at ? -1 : 1))
    .map((assignment, index) => Object.assign(assignment, { id: index + 1 }));
}

function toAssignment(number: number, daysAgo: (days: number) => string) {
  const pair = (number * STRIDE) % (USERS * things.length);
  const thing = things[Math.trunc(pair / USERS)] ?? { assignable_type: "Lesson", assignable_id: 1 };
  const standing = standings[number % standings.length] ?? "open";
  return { assignee_id: 1 + (pair % USERS), ...thing, ...toState(standing, { number, thing, daysAgo }) };
}

interface Given {
  readonly number: number;
  readonly thing: Thing;
  readonly daysAgo: (days: number) => string;
}

/** The times, the result and the progress that go with where an assignment stands. */
function toState(standing: Standing, given: Given) {
  const { number, thing, daysAgo } = given;
  const assigned = 40 + ((number * 7) % 160);
  const begun = assigned - 1 - (number % 5);
  const ended = begun - 1 - (number % 9);
  const score = 80 + ((number * 3) % 21);
  const isBegun = number % 2 === 0;
  const nothing = { reassigned_at: null, started_at: null, completed_at: null, score: null };
  const open = { ...nothing, started_at: isBegun ? daysAgo(begun) : null, status: "Incomplete" };
  const updated_at = daysAgo(isBegun ? begun : assigned);
  const progress = progressIn(given, { begun, ended, standing });
  const base = { assigned_at: daysAgo(assigned), due_by: null, updated_at, ...progress };
  switch (standing) {
    case "completed":
    case "grade_pending": {
      const isGraded = standing === "completed";
      const result = { status: isGraded ? "Completed" : "Grade Pending", score: isGraded ? score : null };
      const times = { started_at: daysAgo(begun), completed_at: daysAgo(ended), updated_at: daysAgo(ended) };
      return { ...base, ...nothing, ...times, due_by: midnight(daysAgo(assigned - 30)), ...result };
    }
    case "due":
      return { ...base, ...open, due_by: midnight(daysAgo(-3 - (number % 40))) };
    case "overdue":
      return { ...base, ...open, due_by: midnight(daysAgo(2 + (number % 25))) };
    case "again": {
      // Completed once, and assigned anew: the score stays until the next completion.
      const history = [
        { round: 1, started_at: daysAgo(begun), completed_at: daysAgo(ended), score, contents: [] },
      ];
      const times = { reassigned_at: daysAgo(9), updated_at: daysAgo(9), due_by: midnight(daysAgo(-21)) };
      return { ...base, ...nothing, ...times, status: "Incomplete", score, history };
    }
    default:
      return {
        ...base,
        ...open,
        ...(thing.assignable_type === "Lesson" ? {} : { group_id: 1 + (number % 4) }),
      };
  }
}

/** Progress in the lessons of a path: all of them, or as far as the learner has come. */
function progressIn(
  { number, thing, daysAgo }: Given,
  { begun, ended, standing }: { begun: number; ended: number; standing: Standing },
) {
  if (thing.assignable_type !== "LearningPaths::Path") return {};
  const lessons = lessonsOfPath(thing.assignable_id);
  const isThrough = standing === "completed" || standing === "grade_pending";
  const isBegun = number % 2 === 0 && standing !== "again";
  const done = isThrough ? lessons.length : isBegun ? Math.trunc(lessons.length / 2) : 0;
  const progress = lessons.slice(0, done).map((lesson_id, place) => ({
    lesson_id,
    started_at: daysAgo(begun),
    completed_at: daysAgo(ended),
    status: standing === "grade_pending" && place === done - 1 ? "Grade Pending" : "Completed",
    score: 80 + ((number + place) % 21),
  }));
  return { progress };
}

function midnight(time: string): string {
  return `${time.slice(0, "2026-12-31".length)}T00:00:00Z`;
}

function ids(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function repeat<T>(times: number, value: T): T[] {
  return Array.from({ length: times }, () => value);
}
