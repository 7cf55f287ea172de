import { sql } from "kysely";
import type { AssignmentRow } from "../assignments/assignments.ts";
import { countAssignments } from "../assignments/counts.ts";
import { assignmentCounters } from "../assignments/give.ts";
import { selectAssignments } from "../assignments/select.ts";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import type { Client, TestServer } from "./server.ts";

/** What a learner ends with. */
export interface Ending {
  readonly status: "Incomplete" | "Grade Pending" | "Completed";
  readonly score: number | null;
}

/** Ends assignments as the player would, which the API can't do: the rows, and all that is counted of them. */
export async function endAssignments(
  { make }: Pick<TestServer, "make">,
  client: Client,
  { ids, status, score }: Ending & { readonly ids: readonly number[] },
): Promise<void> {
  await make.write(client, async (tx) => {
    const at = await lockCounters(tx, ...assignmentCounters);
    const before = await findAssignments(tx, ids);
    const completed_at = status === "Completed" ? at : null;
    const state = { status, score, started_at: at, completed_at, updated_at: at };
    await tx.sql
      .updateTable("assignments")
      .set(state)
      .where("company_id", "=", tx.company.id)
      .where((eb) => eb("id", "=", eb.fn.any(eb.val([...ids]))))
      .execute();
    await countAssignments(tx, {
      before,
      after: before.map((row) => ({ ...row, ...state })),
      learners: [],
      at,
    });
  });
}

/** Notes progress in a lesson of an assigned path. */
export async function endLesson(
  { make }: Pick<TestServer, "make">,
  client: Client,
  given: { readonly assignment_id: number; readonly lesson_id: number; readonly user_id: number },
): Promise<void> {
  await make.write(client, async (tx) => {
    const at = await lockCounters(tx, ...assignmentCounters);
    const before = await findAssignments(tx, [given.assignment_id]);
    const progress = { status: "Completed", score: 90, started_at: at, completed_at: at } as const;
    await tx.sql
      .insertInto("lesson_progress")
      .values({ company_id: tx.company.id, ...given, ...progress })
      .execute();
    await tx.sql
      .updateTable("assignments")
      .set({ updated_at: at })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", given.assignment_id)
      .execute();
    const rows = before.map((row) => ({ ...row, updated_at: at }));
    await countAssignments(tx, { before, after: rows, learners: [given], at });
  });
}

async function findAssignments(tx: WriteTx, ids: readonly number[]): Promise<AssignmentRow[]> {
  return selectAssignments(tx, {
    conditions: [sql<boolean>`id = any(${ids}::bigint[])`],
    order: sql`id`,
    limit: null,
    offset: 0,
  });
}
