import type { Static } from "typebox";
import { utcTime } from "../time.ts";
import { moment, momentOrNull, storableJson } from "./check.ts";
import { type Import, importPart } from "./part.ts";
import { progressOf } from "./progress.ts";
import { Rows } from "./rows.ts";
import * as tables from "./tables.ts";
import { AssignmentItem } from "./schema.ts";
import { wrong } from "./wrong.ts";

/** A clock that runs ahead of ours is forgiven this much. */
const MOST_AHEAD_MS = 24 * 60 * 60 * 1000;

/** Imports the assignments with the progress in paths and the results of earlier rounds. */
export async function importAssignments(job: Import): Promise<Imported> {
  const [assignments, progress, results] = [
    new Rows(tables.assignments),
    new Rows(tables.lessonProgress),
    new Rows(tables.assignmentResults),
  ];
  const latest = new Date(Date.parse(utcTime(job.at)) + MOST_AHEAD_MS).toISOString().replace("T", " ");
  let updatedAt = job.at;
  const count = await importPart(job, "assignments", {
    schema: AssignmentItem,
    tables: [assignments, progress, results],
    take(item, { element, pointer }) {
      const row = assignmentRow(item, pointer);
      // Every later change has to come after the latest one, so a time far ahead would lead all others there.
      if (row.updated_at > latest) throw wrong(`${pointer}/updated_at`, "lies in the future");
      if (row.updated_at > updatedAt) updatedAt = row.updated_at;
      job.ids.note("assignments", item.id);
      job.ids.note("groups", item.group_id);
      assignments.add(row, element, pointer);
      for (const { pointer: at, ...own } of progressOf(item, pointer)) {
        progress.add({ assignment_id: item.id, user_id: item.assignee_id, ...own }, element, at);
      }
      for (const [index, result] of (item.history ?? []).entries()) {
        const at = `${pointer}/history/${index}`;
        results.add(resultRow(item.id, result, at), element, at);
      }
    },
  });
  return { count, updatedAt };
}

/** How many assignments there are, and when the latest change was made: the company's next one comes after it. */
export interface Imported {
  readonly count: number;
  readonly updatedAt: string;
}

function assignmentRow(item: Static<typeof AssignmentItem>, pointer: string) {
  // Overdue comes with the time and is not stored.
  const status = item.status === "Overdue" ? "Incomplete" : item.status;
  if (status === "Incomplete" && item.completed_at != null) {
    throw wrong(`${pointer}/completed_at`, `must be null as long as the status is ${item.status}`);
  }
  if (status === "Completed" && item.completed_at == null) {
    throw wrong(`${pointer}/completed_at`, "is required where the status is Completed");
  }
  return {
    id: item.id,
    assignee_id: item.assignee_id,
    assignable_type: item.assignable_type,
    assignable_id: item.assignable_id,
    group_id: item.group_id ?? null,
    assigned_at: moment(item.assigned_at),
    due_by: momentOrNull(item.due_by),
    reassigned_at: momentOrNull(item.reassigned_at),
    started_at: momentOrNull(item.started_at),
    completed_at: momentOrNull(item.completed_at),
    updated_at: moment(item.updated_at),
    status,
    score: item.score ?? null,
  };
}

type Result = NonNullable<Static<typeof AssignmentItem>["history"]>[number];

function resultRow(assignment_id: number, result: Result, pointer: string) {
  return {
    assignment_id,
    round: result.round,
    due_by: momentOrNull(result.due_by),
    started_at: momentOrNull(result.started_at),
    completed_at: moment(result.completed_at),
    score: result.score ?? null,
    contents: storableJson(result.contents, `${pointer}/contents`),
  };
}
