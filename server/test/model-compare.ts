import assert from "node:assert/strict";
import type { AssignableType } from "../assignments/assignments.ts";
import {
  type LessonName,
  lessons,
  type ModelAssignment,
  type ModelLearner,
  passMarks,
  paths,
  type ThingName,
} from "./model.ts";
import { things } from "./model-steps.ts";
import type { Answer, Client } from "./server.ts";
import { freeResponse, trueFalse } from "./taught.ts";

type Body = Answer["body"];
export type Ids = Readonly<Record<ThingName, number>>;

/** Makes the lessons and paths of the model, as their authors do. */
export async function makeThings(client: Client): Promise<Ids> {
  const quiz = await makeLesson(client, "quiz", trueFalse("quiz"));
  const essay = await makeLesson(client, "essay", freeResponse("essay"));
  const contents = [quiz, essay].map((lesson_id) => ({ type: "lesson", lesson_id }));
  const [open = 0, strict = 0] = await Promise.all(
    paths.map(async (title) => {
      const path = { title, contents, counts_elsewhere: title === "open path", enforced_order: false };
      const { id } = await ok(client.post("/api/v2/paths", path));
      await ok(client.post(`/api/v2/paths/${id}/publish`, {}));
      return id;
    }),
  );
  return { quiz, essay, "open path": open, "strict path": strict };
}

async function makeLesson(client: Client, name: LessonName, question: object): Promise<number> {
  const pages = [{ id: "one", title: "One", blocks: [question] }];
  const content = { sections: [{ id: "all", title: "All", pages }] };
  const lesson = { title: name, retake_score: passMarks[name], public: name === "quiz", content };
  const { id } = await ok(client.post("/api/v2/lessons", lesson));
  await ok(client.post(`/api/v2/lessons/${id}/publish`, {}));
  return id;
}

async function ok(asked: Promise<Answer>): Promise<Body> {
  const { status, body } = await asked;
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
  return body;
}

export function typeOf(thing: ThingName): AssignableType {
  return thing === "quiz" || thing === "essay" ? "Lesson" : "LearningPaths::Path";
}

/** Who plays a learner of the model. */
interface Player {
  readonly learner: ModelLearner;
  readonly user_id: number;
}

/** What a company has, in the model and in version 1. */
interface Worlds {
  readonly client: Client;
  readonly ids: Ids;
  readonly players: readonly Player[];
  readonly today: string;
}

/** Fails unless version 1 shows the model's assignments, and counts what brute force counts in its rows. */
export async function compare(worlds: Worlds): Promise<void> {
  const { client, players } = worlds;
  const rows: Body[] = (await ok(client.get("/api/v1.1/assignments?per_page=1000"))).assignments;
  const cards: Body[] = await Promise.all(
    players.map(({ user_id }) => ok(client.get(`/api/v2/users/${user_id}/report_cards?limit=200`))),
  );
  const attempts: Body[] = cards.flatMap(({ data }) => data);
  assert.deepEqual(rows.map(showRow).toSorted(byKey), expectRows(worlds).toSorted(byKey));
  assert.deepEqual(attempts.map(showAttempt).toSorted(byKey), expectAttempts(worlds).toSorted(byKey));
  assert.deepEqual(await readCounts(worlds), countRows(worlds, rows, attempts));
}

interface Keyed {
  readonly key: string;
}

function byKey(one: Keyed, other: Keyed): number {
  return one.key < other.key ? -1 : Number(one.key > other.key);
}

function showRow(row: Body) {
  const { assignee_id, assignable_type, assignable_id, status, score, due_by, contents = [] } = row;
  return {
    key: `${assignee_id} ${assignable_type} ${assignable_id}`,
    ...{ status, score, due_by },
    isStarted: row.started_at !== null,
    isCompleted: row.completed_at !== null,
    isReassigned: row.reassigned_at !== null,
    contents: contents.map((item: Body) => [
      item.id,
      item.status,
      item.score ?? null,
      item.started_at !== null,
    ]),
  };
}

function expectRows({ ids, players, today }: Worlds) {
  return players.flatMap(({ learner, user_id }) =>
    [...learner.assignments.values()].map((held) => {
      const { thing, score, status, due, isStarted } = held;
      const isOverdue = status === "Incomplete" && due !== null && due < today;
      const isOfPath = typeOf(thing) === "LearningPaths::Path";
      return {
        key: `${user_id} ${typeOf(thing)} ${ids[thing]}`,
        status: isOverdue ? "Overdue" : status,
        score,
        due_by: due === null ? due : `${due}T00:00:00Z`,
        isStarted,
        isCompleted: status !== "Incomplete",
        isReassigned: held.reassignedAt > 0,
        contents: isOfPath ? lessons.map((lesson) => expectContent(held, lesson, ids[lesson])) : [],
      };
    }),
  );
}

function expectContent({ progress }: ModelAssignment, lesson: LessonName, id: number): unknown[] {
  const { status = "Incomplete", score = null, isStarted = false } = progress.get(lesson) ?? {};
  return [id, status === "Completed" ? status : "Incomplete", score, isStarted];
}

function showAttempt({ user_id, lesson_id, status, score, assignment_id }: Body): Keyed {
  const isOfLibrary = assignment_id === null;
  return { key: [user_id, lesson_id, status, score, isOfLibrary].join(" ") };
}

/** Report cards are of what is finished. */
function expectAttempts({ ids, players }: Worlds): Keyed[] {
  return players.flatMap(({ learner, user_id }) =>
    learner.attempts.flatMap(({ lesson, status, score, place }) =>
      status === "open" || status === "ended"
        ? []
        : { key: [user_id, ids[lesson], status, score, place === undefined].join(" ") },
    ),
  );
}

const statuses = ["Incomplete", "Overdue", "Grade Pending", "Completed"] as const;

/** All that version 1 says of how many there are. */
async function readCounts({ client, ids }: Worlds): Promise<object> {
  const totals = statuses.map(async (status) => {
    const url = `/api/v1/assignments/${status.toLowerCase().replace(" ", "_")}?per_page=1`;
    return [status, (await ok(client.get(url))).total_assignments] as const;
  });
  const counts = things.map(async (thing) => {
    const isLesson = typeOf(thing) === "Lesson";
    const url = `/${isLesson ? "lessons" : "paths"}/${ids[thing]}`;
    const [shown, completed, total, breakdown] = await Promise.all([
      ok(client.get(`/api/v1${url}/assignments?per_page=1`)),
      ok(client.get(`/api/v1.1${url}/assignments/completed`)),
      ok(client.get(`/api/v1${url}/total_completions`)),
      isLesson ? ok(client.get(`/api/v1${url}/completion_breakdown`)) : undefined,
    ]);
    return [
      thing,
      {
        assigned: shown.total_assignments,
        completed: completed.completed_count,
        total: total.completion_count,
        ...(isLesson && { byAssignment: breakdown.via_assignment, byOther: breakdown.via_other }),
      },
    ] as const;
  });
  return Object.fromEntries([...(await Promise.all(totals)), ...(await Promise.all(counts))]);
}

/** The same, by looking at every row. */
function countRows({ ids, players }: Worlds, rows: readonly Body[], attempts: readonly Body[]): object {
  const totals = statuses.map((status) => [status, rows.filter((row) => row.status === status).length]);
  const counts = things.map((thing) => {
    const own = rows.filter(
      (row) => row.assignable_type === typeOf(thing) && row.assignable_id === ids[thing],
    );
    const assigned = {
      assigned: own.length,
      completed: own.filter(({ status }) => status === "Completed").length,
    };
    const finished = new Set(own.filter(isFinished).map(({ assignee_id }) => assignee_id));
    if (thing !== "quiz" && thing !== "essay") return [thing, { ...assigned, total: finished.size }];
    // Version 1 shows a lesson of a path that awaits a grade as Incomplete: the model alone tells the two apart.
    const inPaths = players.filter(({ learner }) => hasFinishedInPath(learner, thing));
    const others = new Set(inPaths.map(({ user_id }) => user_id));
    for (const { user_id, lesson_id, status, assignment_id } of attempts) {
      if (lesson_id === ids[thing] && assignment_id === null && status !== "failed") others.add(user_id);
    }
    const byOther = [...others].filter((user_id) => !finished.has(user_id)).length;
    return [thing, { ...assigned, total: finished.size + byOther, byAssignment: finished.size, byOther }];
  });
  return Object.fromEntries([...totals, ...counts]);
}

function isFinished({ status }: Body): boolean {
  return status === "Completed" || status === "Grade Pending";
}

function hasFinishedInPath({ assignments }: ModelLearner, lesson: LessonName): boolean {
  return paths.some(
    (path) => (assignments.get(path)?.progress.get(lesson)?.status ?? "Incomplete") !== "Incomplete",
  );
}
