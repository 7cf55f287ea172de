/** Two lessons, of which people mark the second, and two paths with both: what was done elsewhere counts in the first. */
export const lessons = ["quiz", "essay"] as const;
export const paths = ["open path", "strict path"] as const;
export type LessonName = (typeof lessons)[number];
export type ThingName = LessonName | (typeof paths)[number];

/** In per cent. The quiz has one question, which earns all or nothing. */
export const passMarks: Readonly<Record<LessonName, number>> = { quiz: 80, essay: 50 };

interface Standing {
  status: "Incomplete" | "Grade Pending" | "Completed";
  score: number | null;
  isStarted: boolean;
}

/** Times are numbers of what happened; 0 is never. */
export interface ModelAssignment extends Standing {
  readonly thing: ThingName;
  due: string | null;
  reassignedAt: number;
  readonly progress: Map<LessonName, Standing>;
}

export interface ModelAttempt {
  readonly lesson: LessonName;
  readonly begunAt: number;
  status: "open" | "grade_pending" | "completed" | "failed" | "ended";
  /** For which assignment it counts; none for the library. */
  place: ModelAssignment | undefined;
  isRight: boolean | undefined;
  score: number | null;
}

export class ModelLearner {
  readonly assignments = new Map<ThingName, ModelAssignment>();
  readonly attempts: ModelAttempt[] = [];
  /** The score of each lesson that was ever completed, the last time. */
  readonly completed = new Map<LessonName, number>();

  underWay(lesson: LessonName): ModelAttempt | undefined {
    return this.attempts.find((attempt) => attempt.lesson === lesson && isUnderWay(attempt));
  }
}

/** The rules of assignments. Each tells whether what was asked is done; what is refused changes nothing. */
export class Model {
  readonly archived = new Set<ThingName>();
  readonly learners = [new ModelLearner(), new ModelLearner()] as const;
  #now = 0;

  assign(learner: ModelLearner, thing: ThingName, due: string | null): boolean {
    if (this.archived.has(thing)) return false;
    const known = learner.assignments.get(thing);
    if (known?.status === "Completed") return this.reassign(learner, thing, due);
    if (known !== undefined) return true;
    const made: ModelAssignment = { ...untouched(), thing, due, reassignedAt: 0, progress: new Map() };
    learner.assignments.set(thing, made);
    if (thing !== "open path") return true;
    for (const [lesson, score] of learner.completed) {
      if (!this.archived.has(lesson)) this.#advance(made, lesson, { status: "Completed", score });
    }
    return true;
  }

  reassign({ assignments }: ModelLearner, thing: ThingName, due: string | null): boolean {
    const known = assignments.get(thing);
    if (known?.status !== "Completed" || this.archived.has(thing)) return false;
    this.#beginAnew(known);
    known.due = due;
    return true;
  }

  changeDue({ assignments }: ModelLearner, thing: ThingName, due: string | null): boolean {
    const known = assignments.get(thing);
    if (known !== undefined) known.due = due;
    return known !== undefined;
  }

  remove({ assignments, attempts }: ModelLearner, thing: ThingName): boolean {
    const known = assignments.get(thing);
    for (const attempt of attempts.filter(isUnderWay)) {
      if (attempt.place === known) attempt.place = undefined;
    }
    return assignments.delete(thing);
  }

  publish(lesson: LessonName, isAskedAgain: boolean): boolean {
    if (this.archived.has(lesson)) return false;
    if (isAskedAgain) for (const learner of this.learners) this.reassign(learner, lesson, null);
    return true;
  }

  archive(lesson: LessonName): boolean {
    this.archived.add(lesson);
    for (const { assignments } of this.learners)
      for (const held of assignments.values()) this.#complete(held);
    return true;
  }

  restore(lesson: LessonName): boolean {
    this.archived.delete(lesson);
    return true;
  }

  start(learner: ModelLearner, lesson: LessonName, named?: ThingName): boolean {
    const open = learner.underWay(lesson);
    const own = learner.assignments.get(lesson);
    if (open?.status === "grade_pending") return false;
    const isOutdated = own?.status === "Incomplete" && isBefore(open, own);
    if (open && named === undefined && !isOutdated) return true;
    const places = named === undefined ? [lesson, ...learner.assignments.keys()] : [named];
    const place = places
      .flatMap((thing) => learner.assignments.get(thing) ?? [])
      .find((held) => isIncompleteIn(held, lesson));
    const isRefused = place === undefined && (named !== undefined || lesson !== "quiz");
    if (this.archived.has(lesson) || isRefused) return false;
    if (open && !isBefore(open, place)) {
      open.place = place ?? open.place;
      return true;
    }
    if (open) open.status = "ended";
    const attempt: ModelAttempt = {
      ...{ lesson, place, status: "open", isRight: undefined, score: null },
      begunAt: this.#tick(),
    };
    learner.attempts.push(attempt);
    if (own?.status === "Incomplete" && !isBefore(attempt, own)) {
      own.isStarted = true;
      attempt.place ??= own;
    }
    this.#advancePaths(learner, { attempt, place }, { status: "Incomplete", score: null });
    return true;
  }

  answer(attempt: ModelAttempt | undefined, isRight: boolean): boolean {
    if (attempt?.status !== "open") return false;
    attempt.isRight = isRight;
    return true;
  }

  /** Finished again, an attempt is the same; one that ended otherwise is not to be finished. */
  finish(learner: ModelLearner, attempt: ModelAttempt | undefined): boolean {
    if (attempt?.status !== "open") return attempt !== undefined && attempt.status !== "ended";
    if (attempt.lesson === "quiz" || attempt.isRight === undefined) {
      return this.#end(learner, attempt, attempt.isRight === true ? 100 : 0);
    }
    attempt.status = "grade_pending";
    return this.#note(learner, attempt, { status: "Grade Pending", score: null });
  }

  grade(learner: ModelLearner, attempt: ModelAttempt | undefined, percent: number): boolean {
    return attempt?.status === "grade_pending" && this.#end(learner, attempt, percent);
  }

  #end(learner: ModelLearner, attempt: ModelAttempt, score: number): boolean {
    const isPassed = score >= passMarks[attempt.lesson];
    attempt.status = isPassed ? "completed" : "failed";
    attempt.score = score;
    if (isPassed) learner.completed.set(attempt.lesson, score);
    return this.#note(learner, attempt, { status: isPassed ? "Completed" : "Incomplete", score });
  }

  /** What is completed stays so, and what was begun before it was assigned anew does not count for it. */
  #note(learner: ModelLearner, attempt: ModelAttempt, outcome: Omit<Standing, "isStarted">): boolean {
    const own = learner.assignments.get(attempt.lesson);
    const { place } = attempt;
    const isOwn = own !== undefined && own.status !== "Completed" && !isBefore(attempt, own);
    if (isOwn) {
      Object.assign(own, { ...outcome, score: outcome.score ?? own.score, isStarted: true });
      if (attempt.status === "failed") this.#beginAnew(own);
    }
    const isInPath = this.#advancePaths(learner, { attempt, place }, outcome);
    const isForLibrary = attempt.status !== "failed" && !isInPath;
    attempt.place = isOwn ? (place ?? own) : isForLibrary ? undefined : place;
    return true;
  }

  #advancePaths(
    { assignments }: ModelLearner,
    { attempt, place }: { attempt: ModelAttempt; place: ModelAssignment | undefined },
    outcome: Omit<Standing, "isStarted">,
  ): boolean {
    const counted = [...assignments.values()].filter(
      (held) => held.thing === "open path" || (held.thing === "strict path" && held === place),
    );
    return counted.map((held) => this.#advance(held, attempt.lesson, outcome)).includes(true);
  }

  #advance(path: ModelAssignment, lesson: LessonName, outcome: Omit<Standing, "isStarted">): boolean {
    const known = path.progress.get(lesson);
    if (path.status === "Completed" || known?.status === "Completed") return false;
    path.progress.set(lesson, { ...outcome, score: outcome.score ?? known?.score ?? null, isStarted: true });
    path.isStarted = true;
    this.#complete(path);
    return true;
  }

  /** A path is completed with the last lesson that is asked for. */
  #complete(path: ModelAssignment): void {
    const asked = lessons.filter((lesson) => !this.archived.has(lesson));
    const done = asked.flatMap((lesson) => path.progress.get(lesson) ?? []);
    if (path.status === "Completed" || done.length < asked.length || done.length === 0) return;
    if (done.some(({ status }) => status !== "Completed")) return;
    path.status = "Completed";
    path.score = Math.round(done.reduce((sum, { score }) => sum + (score ?? 0), 0) / done.length);
  }

  /** The score stays until it is completed again. */
  #beginAnew(held: ModelAssignment): void {
    Object.assign(held, { status: "Incomplete", isStarted: false, reassignedAt: this.#tick() });
    held.progress.clear();
  }

  #tick(): number {
    this.#now += 1;
    return this.#now;
  }
}

function untouched(): Standing {
  return { status: "Incomplete", score: null, isStarted: false };
}

function isUnderWay({ status }: ModelAttempt): boolean {
  return status === "open" || status === "grade_pending";
}

function isBefore(attempt: ModelAttempt | undefined, held: ModelAssignment | undefined): boolean {
  return attempt !== undefined && held !== undefined && attempt.begunAt < held.reassignedAt;
}

/** Whether a lesson is still to be done in an assignment that has it. */
function isIncompleteIn(held: ModelAssignment, lesson: LessonName): boolean {
  if (held.thing === lesson) return held.status === "Incomplete";
  const isPath = held.thing === "open path" || held.thing === "strict path";
  return (
    isPath &&
    held.status === "Incomplete" &&
    (held.progress.get(lesson)?.status ?? "Incomplete") === "Incomplete"
  );
}
