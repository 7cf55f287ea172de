import assert from "node:assert/strict";
import { sql } from "kysely";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import type { Answer, Client, TestServer } from "./server.ts";
import type { StoredAssignment, StoredStatus } from "../assignments/assignments.ts";
import { countAssignments } from "../assignments/counts.ts";
import { assignmentCounters } from "../assignments/give.ts";

/** Where a learner stands. */
export interface State {
  readonly status: StoredStatus;
  readonly score?: number | null;
  readonly started_at?: string | null;
  readonly completed_at?: string | null;
}

/** The server, and the company whose learners are meant. */
export interface School {
  readonly lectern: TestServer;
  readonly client: Client;
}

/** Brings an assignment to a state, as taking it will. */
export async function setState(school: School, id: number, state: State): Promise<void> {
  const columns = { score: null, started_at: null, completed_at: null, ...state };
  await change(school, [id], async (tx, updated_at) => {
    await tx.sql
      .updateTable("assignments")
      .set({ ...columns, updated_at })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", id)
      .execute();
    return [];
  });
}

/** Brings a lesson within a path assignment to a state, as taking it will. */
export async function setProgress(
  school: School,
  { assignment_id, lesson_id }: { assignment_id: number; lesson_id: number },
  state: State,
): Promise<void> {
  const columns = { score: null, started_at: null, completed_at: null, ...state };
  await change(school, [assignment_id], async (tx, updated_at) => {
    const { assignee_id: user_id } = await tx.sql
      .updateTable("assignments")
      .set({ updated_at })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", assignment_id)
      .returning("assignee_id")
      .executeTakeFirstOrThrow();
    await tx.sql
      .insertInto("lesson_progress")
      .values({ company_id: tx.company.id, assignment_id, lesson_id, user_id, ...columns })
      .onConflict((conflict) =>
        conflict.columns(["company_id", "assignment_id", "lesson_id"]).doUpdateSet((eb) => ({
          status: eb.ref("excluded.status"),
          score: eb.ref("excluded.score"),
          started_at: eb.ref("excluded.started_at"),
          completed_at: eb.ref("excluded.completed_at"),
        })),
      )
      .execute();
    return [{ lesson_id, user_id }];
  });
}

type Learners = Parameters<typeof countAssignments>[1]["learners"];

async function change(
  { lectern, client }: School,
  ids: readonly number[],
  write: (tx: WriteTx, at: string) => Promise<Learners>,
): Promise<void> {
  await lectern.make.write(client, async (tx) => {
    const at = await lockCounters(tx, ...assignmentCounters);
    const before = await findCounted(tx, ids);
    const learners = await write(tx, at);
    await countAssignments(tx, { before, after: await findCounted(tx, ids), learners, at });
  });
}

async function findCounted(tx: WriteTx, ids: readonly number[]): Promise<StoredAssignment[]> {
  const { rows } = await sql<StoredAssignment>`
    select id, assignee_id, assignable_type, assignable_id, group_id, assigned_at, due_by, reassigned_at, started_at,
      completed_at, updated_at, status, score
    from assignments
    where company_id = ${tx.company.id} and id = any(${ids}::bigint[])`.execute(tx.sql);
  return rows;
}

/** Assigns a thing, such as `lessons/3`, to users, and gives the assignments of the answer. */
export async function assign(
  client: Client,
  thing: string,
  assignments: readonly object[],
): Promise<Answer["body"][]> {
  const { status, body } = await client.put(`/api/v1/${thing}/assignments`, { assignments });
  assert.equal(status, 200, JSON.stringify(body));
  return body.assignments;
}

/** The ids of a list of assignments, in its order. */
export function idsOf(body: Answer["body"]): number[] {
  return body.assignments.map(({ id }: { id: number }) => id);
}

/** The address of the next page, as the answer's Link header says. */
export function nextOf(answer: Answer): string | undefined {
  const url = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers["link"]))?.[1];
  if (url === undefined) return undefined;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** The time of an answer, which the database's clock has given: it is checked for its form alone. */
export function takeTime(text: unknown): string {
  assert.match(String(text), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  return String(text);
}
