import type { StoredStatus } from "../assignments/assignments.ts";
import type { StructureItem, Structures } from "../paths/contents.ts";
import { momentText } from "../time.ts";
import { findOpening } from "./wait-steps.ts";

/** Where a learner stands in a lesson of a path. */
export interface LessonState {
  readonly status: StoredStatus;
  readonly score: number | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
}

/** What the states of a path's steps follow from. */
export interface Facts {
  readonly structures: Structures;
  /** The paths whose steps are taken one after the other. */
  readonly enforced: ReadonlySet<number>;
  /** By lesson. */
  readonly progress: ReadonlyMap<number, LessonState>;
  /** When the assignment was given, or given anew. */
  readonly begun_at: string;
  readonly now: Date;
  readonly time_zone: string;
}

export type StepState = "open" | "in_progress" | "grade_pending" | "done" | "locked";

/** What keeps a step locked: a step before it that is to be finished first, or a wait step. */
export interface Lock {
  readonly type: "lesson" | "path" | "wait_step";
  readonly id: number;
  readonly title: string | null;
}

interface StepBase {
  readonly id: number;
  readonly state: StepState;
  /** When a locked step opens; null where that is not known yet. */
  readonly locked_until: string | null;
  readonly because: Lock | null;
}

export interface LessonStep extends StepBase, Omit<LessonState, "status"> {
  readonly type: "lesson";
  readonly title: string;
}

export interface NestedStep extends StepBase {
  readonly type: "path";
  readonly title: string;
  readonly steps: readonly PathStep[];
}

export interface WaitStep extends StepBase {
  readonly type: "wait_step";
}

export interface PlaceholderStep extends StepBase {
  readonly type: "placeholder";
  readonly description: string | null;
}

/** A step of a path as one learner meets it. Archived lessons and paths are none. */
export type PathStep = LessonStep | NestedStep | WaitStep | PlaceholderStep;

/**
 * Finds the state of every step of a path. In an enforced order a step opens when all before it are completed; a wait
 * step keeps locked what stands behind it, in any order. Paths nest no deeper than MOST_LEVELS, so this may recur.
 */
export function describeSteps(facts: Facts, path_id: number): readonly PathStep[] {
  return walk(facts, path_id, { lock: undefined, finished_at: facts.begun_at }).steps;
}

/** The lessons that a path asks for, each once, with those of all that is nested in it. */
export function lessonsOf(structures: Structures, path_id: number): number[] {
  const lessons = new Set<number>();
  const seen = new Set([path_id]);
  // A set is walked with what is added to it on the way.
  for (const id of seen) {
    for (const item of structures.get(id) ?? []) {
      if (isSkipped(item)) continue;
      if (item.resource_type === "lesson") lessons.add(item.id);
      if (item.resource_type === "path") seen.add(item.id);
    }
  }
  return [...lessons];
}

/** What is archived is asked of nobody. */
function isSkipped(item: StructureItem): boolean {
  return (item.resource_type === "lesson" || item.resource_type === "path") && item.archived_at !== null;
}

/** Where one stands before a step. */
interface Standing {
  /** What keeps locked all that follows. */
  readonly lock: { readonly until: string | null; readonly because: Lock } | undefined;
  /** When the step before was finished, or will be where that is a wait step; null while it is not. */
  readonly finished_at: string | null;
}

interface Walked {
  readonly steps: readonly PathStep[];
  /** When the last of its lessons was finished; null while one is not, or when it has none. */
  readonly finished_at: string | null;
  readonly isDone: boolean;
}

function walk(facts: Facts, path_id: number, entry: Standing): Walked {
  const steps: PathStep[] = [];
  const finished: (string | null)[] = [];
  let standing = entry;
  for (const item of facts.structures.get(path_id) ?? []) {
    if (isSkipped(item)) continue;
    const { step, next, finished_at } = take(facts, item, standing);
    steps.push(step);
    if (finished_at !== undefined) finished.push(finished_at);
    const mustFinish = facts.enforced.has(path_id) && finished_at === null;
    standing = mustFinish ? { ...next, lock: { until: null, because: toLock(step) } } : next;
  }
  const isDone = !finished.includes(null);
  const last = finished.reduce((before, at) => ((at ?? "") > (before ?? "") ? at : before), null);
  return { steps, finished_at: isDone ? last : null, isDone };
}

interface Taken {
  readonly step: PathStep;
  readonly next: Standing;
  /** When it was finished; null while it is not, undefined for what nobody has to finish. */
  readonly finished_at?: string | null;
}

function take(facts: Facts, item: StructureItem, standing: Standing): Taken {
  switch (item.resource_type) {
    case "lesson":
      return takeLesson(facts, item, standing);
    case "path":
      return takePath(facts, item, standing);
    case "wait_step":
      return takeWait(facts, item, standing);
    default: {
      const { id, description } = item;
      const step = { type: "placeholder", id, description, ...stateOf("open", standing) } as const;
      return { step, next: standing };
    }
  }
}

function takeLesson(
  facts: Facts,
  { id, title }: { readonly id: number; readonly title: string },
  standing: Standing,
): Taken {
  const progress = facts.progress.get(id);
  const { started_at = null, completed_at = null, score = null, status = "Incomplete" } = progress ?? {};
  // What was imported may say Completed without a time.
  const finished_at = status === "Completed" ? (completed_at ?? started_at ?? facts.begun_at) : null;
  const state = stateOf(stateOfLesson(status, started_at), standing);
  const step = { type: "lesson", id, title, ...state, started_at, completed_at, score } as const;
  return { step, next: { ...standing, finished_at }, finished_at };
}

function stateOfLesson(status: StoredStatus, started_at: string | null): StepState {
  if (status === "Completed") return "done";
  if (status === "Grade Pending") return "grade_pending";
  return started_at === null ? "open" : "in_progress";
}

function takePath(
  facts: Facts,
  { id, title }: { readonly id: number; readonly title: string },
  standing: Standing,
): Taken {
  const { steps, finished_at, isDone } = walk(facts, id, standing);
  const state = isDone
    ? stateOf("done", standing)
    : (findInnerLock(steps) ?? stateOf(stateOfPath(steps), standing));
  const step = { type: "path", id, title, ...state, steps } as const;
  // With nothing in it that has to be finished it is passed over.
  if (isDone && finished_at === null) return { step, next: standing };
  return { step, next: { ...standing, finished_at }, finished_at };
}

/** A path in which nothing can be done yet is as locked as the first of its steps that is. */
function findInnerLock(steps: readonly PathStep[]) {
  const toTake = steps.filter(({ type }) => type === "lesson" || type === "path");
  if (toTake.some(({ state }) => state !== "locked")) return undefined;
  const [first] = toTake;
  return first && ({ state: "locked", locked_until: first.locked_until, because: first.because } as const);
}

function stateOfPath(steps: readonly PathStep[]): StepState {
  const states = new Set(
    steps.filter(({ type }) => type === "lesson" || type === "path").map(({ state }) => state),
  );
  const isBegun = states.has("done") || states.has("in_progress") || states.has("grade_pending");
  if (!isBegun) return "open";
  return states.has("grade_pending") &&
    !states.has("open") &&
    !states.has("in_progress") &&
    !states.has("locked")
    ? "grade_pending"
    : "in_progress";
}

function takeWait(
  facts: Facts,
  item: Extract<StructureItem, { resource_type: "wait_step" }>,
  standing: Standing,
): Taken {
  const opening = findOpening(item, { ...facts, previous: standing.finished_at });
  const base = { type: "wait_step", id: item.id } as const;
  if (opening.at !== null && opening.at <= momentText(facts.now.getTime())) {
    const step = { ...base, state: "done", locked_until: null, because: null } as const;
    return { step, next: { ...standing, finished_at: latest(opening.at, standing.finished_at) } };
  }
  const because = { type: "wait_step", id: item.id, title: null } as const;
  const before = standing.lock;
  // Behind a step that is to be finished first nobody can say when it opens.
  const isBehindStep = before !== undefined && before.because.type !== "wait_step";
  const until = before === undefined ? opening.at : latest(opening.at, before.until);
  const lock = isBehindStep ? before : { until, because };
  const step = { ...base, state: "locked", locked_until: lock.until, because: lock.because } as const;
  return { step, next: { lock, finished_at: opening.at } };
}

/** Null where one of the two is not known. */
function latest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null;
  return one > other ? one : other;
}

/** What is done or awaits a grade stays so, whatever stands before it; all else is locked where something locks it. */
function stateOf(state: StepState, { lock }: Standing) {
  if (lock === undefined || state === "done" || state === "grade_pending") {
    return { state, locked_until: null, because: null } as const;
  }
  return { state: "locked", locked_until: lock.until, because: lock.because } as const;
}

function toLock(step: PathStep): Lock {
  if (step.type === "lesson" || step.type === "path") {
    return { type: step.type, id: step.id, title: step.title };
  }
  return { type: "wait_step", id: step.id, title: null };
}
