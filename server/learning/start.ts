import { randomUUID } from "node:crypto";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import type { Depot } from "../files/depot.ts";
import { conflict, notFound, unauthorized } from "../http/problem.ts";
import { holdMaker } from "../users/hold.ts";
import { type AttemptRow, getAttempt, learnerOf, learningCounters, lockAttempt } from "./attempts.ts";
import { noteOutcome } from "./outcome.ts";
import { findPlace, type Place } from "./places.ts";
import { showAttempt } from "./show.ts";
import type { TakenLesson } from "./v2-schema.ts";

export interface Start {
  readonly lesson_id: number;
  readonly assignment_id?: number;
}

/**
 * Begins a lesson, as it is published now; or goes on with the attempt that is open, as it was published then. What is
 * open goes on when the lesson is archived or taken away meanwhile: who has begun may finish.
 * @throws Problem 404 for a lesson that is neither assigned to the learner nor open to the company; 409 for one that is
 * archived, not published, locked, completed or waiting for a grader; 401 for a learner who is gone.
 */
export async function startAttempt(
  tx: WriteTx,
  start: Start,
  files: Depot,
): Promise<TakenLesson & { resumed: boolean }> {
  const user_id = learnerOf(tx);
  const at = await lockCounters(tx, ...learningCounters);
  if ((await holdMaker(tx, user_id)) === null) throw unauthorized();
  const { id, resumed } = await openAttempt(tx, { ...start, user_id }, at);
  const attempt = await showAttempt(tx, await getAttempt(tx, id), { files, reader: "learner" });
  return { ...attempt, resumed };
}

interface Learner {
  readonly user_id: number;
}

async function openAttempt(
  tx: WriteTx,
  start: Start & Learner,
  at: string,
): Promise<{ id: number; resumed: boolean }> {
  const open = await findOpen(tx, start);
  if (open?.status === "grade_pending") throw conflict("Your answers to this lesson wait to be graded");
  if (open !== undefined && start.assignment_id === undefined && !(await isOutdated(tx, open))) {
    return { id: open.id, resumed: true };
  }
  const { published_version, place } = await findLesson(tx, start);
  if (open !== undefined && !isBefore(open, place)) {
    if (place !== undefined && place.id !== open.assignment_id) await moveTo(tx, open, place);
    return { id: open.id, resumed: true };
  }
  if (open !== undefined) await endAttempt(tx, open.id, at);
  const id = await createAttempt(tx, { ...start, version: published_version, place, at });
  const attempt = await getAttempt(tx, id);
  await noteOutcome(tx, { attempt, happened: "begun", score: null, finished_at: null, at });
  return { id, resumed: false };
}

interface NewAttempt extends Start, Learner {
  readonly version: number;
  readonly place: Place | undefined;
  readonly at: string;
}

async function createAttempt(tx: WriteTx, given: NewAttempt): Promise<number> {
  const { user_id, lesson_id, version, place, at } = given;
  const id = await moveCounter(tx, { kind: "attempts", ids: 1, total: 1, at });
  await tx.sql
    .insertInto("attempts")
    .values({
      company_id: tx.company.id,
      id,
      user_id,
      lesson_id,
      version,
      assignment_id: place?.id ?? null,
      round: place?.round ?? 1,
      status: "open",
      seconds_spent: 0,
      started_at: at,
      last_active_at: at,
      seed: randomUUID(),
    })
    .execute();
  return id;
}

async function findOpen(
  tx: WriteTx,
  { user_id, lesson_id }: Start & Learner,
): Promise<AttemptRow | undefined> {
  const found = await tx.sql
    .selectFrom("attempts")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .where("lesson_id", "=", lesson_id)
    .where("status", "in", ["open", "grade_pending"])
    .executeTakeFirst();
  return found && lockAttempt(tx, found.id);
}

/** Whether the lesson was assigned anew after the attempt was begun: then it no longer counts for that assignment. */
async function isOutdated(tx: WriteTx, { user_id, lesson_id, started_at }: AttemptRow): Promise<boolean> {
  const found = await tx.sql
    .selectFrom("assignments")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("assignee_id", "=", user_id)
    .where("assignable_type", "=", "Lesson")
    .where("assignable_id", "=", lesson_id)
    .where("status", "=", "Incomplete")
    .where("reassigned_at", ">", started_at)
    .executeTakeFirst();
  return found !== undefined;
}

function isBefore({ started_at }: AttemptRow, place: Place | undefined): boolean {
  return place !== undefined && place.reassigned_at !== null && started_at < place.reassigned_at;
}

async function findLesson(
  tx: WriteTx,
  { user_id, lesson_id, assignment_id }: Start & Learner,
): Promise<{ published_version: number; place: Place | undefined }> {
  const lesson = await tx.sql
    .selectFrom("lessons")
    .select(["public", "archived_at", "published_version"])
    .where("company_id", "=", tx.company.id)
    .where("id", "=", lesson_id)
    .executeTakeFirst();
  if (lesson === undefined) throw notFound("Lesson");
  const { archived_at, published_version } = lesson;
  const isTakeable = archived_at === null && published_version !== null;
  const isOpenToAll = lesson.public && tx.company.has_learning_library && isTakeable;
  const place = await findPlace(tx, { user_id, lesson_id, assignment_id, isOpenToAll });
  if (archived_at !== null) throw conflict("This lesson is archived: it can't be begun any more");
  if (published_version === null) throw conflict("This lesson is not published yet");
  return { published_version, place };
}

/** The attempt counts from now on for the assignment that the learner has gone on with it in. */
async function moveTo(tx: WriteTx, { id }: AttemptRow, place: Place): Promise<void> {
  await tx.sql
    .updateTable("attempts")
    .set({ assignment_id: place.id, round: place.round })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
}

async function endAttempt(tx: WriteTx, id: number, at: string): Promise<void> {
  await tx.sql
    .updateTable("attempts")
    .set({ status: "ended", finished_at: at })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
}
