import { sql } from "kysely";
import { Type, type Static } from "typebox";
import type { WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import { closed, component, Id, nullable, Time } from "../http/schema.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";

const text = Type.String();
const Percent = Type.Integer({ minimum: 0, maximum: 100 });

/** What a webhook says of a lesson that somebody has completed. */
export const LessonCompleted = component(
  "LessonCompleted",
  closed({
    event: Type.Literal("lesson.completed"),
    user: closed({
      ext_uid: nullable(text),
      id: Id,
      name: text,
      email: text,
      custom_fields: Type.Record(text, text, { description: "The company's own fields, by their names." }),
    }),
    lesson: closed({
      id: Id,
      title: text,
      retake_score: Type.Integer({ description: "The pass mark in per cent; 0 for none." }),
    }),
    score: nullable(Type.Number({ minimum: 0, maximum: 1 }), {
      deprecated: true,
      description: "Use score_percent; null for a lesson without questions.",
    }),
    score_percent: nullable(Percent, { description: "Null for a lesson without questions." }),
    started_at: Time,
    completed_at: Time,
    assigned_at: nullable(Time, { description: "Null for a lesson that was taken from the library." }),
    assignment_id: nullable(Id, {
      description:
        "In which it counts: of the lesson itself, or of the path or course in which it was begun.",
    }),
    report_card_url: nullable(text, { description: "Null for a lesson that was taken from the library." }),
  }),
);
export type LessonCompleted = Static<typeof LessonCompleted>;

/**
 * Notes that an attempt has completed its lesson. Call it when all that this means is written: the assignment that the
 * attempt counts in may be another one than before.
 */
export async function noteLessonCompleted(tx: WriteTx, attempt_id: number): Promise<void> {
  const [row] = await selectCompletion(tx, { company_id: tx.company.id, attempt_id });
  if (row === undefined) throw new Error(`attempt ${attempt_id} is gone while it is completed`);
  const data = toPayload(row, tx.company.base_url);
  tx.changes.add({ type: data.event, resource_id: row.lesson_id, user_id: row.user_id, data });
}

function toPayload(row: CompletionRow, base_url: string): LessonCompleted {
  const { score, assignment_id } = row;
  return {
    event: "lesson.completed",
    user: {
      ext_uid: row.ext_uid,
      id: row.user_id,
      name: row.name,
      email: row.email,
      custom_fields: row.custom_fields ?? {},
    },
    lesson: { id: row.lesson_id, title: row.title, retake_score: row.retake_score },
    score: score === null ? null : score / 100,
    score_percent: score,
    started_at: utcTime(row.started_at),
    completed_at: utcTime(row.finished_at),
    assigned_at: utcTimeOrNull(row.assigned_at),
    assignment_id,
    report_card_url: assignment_id === null ? null : `${base_url}/assignments/${assignment_id}`,
  };
}

interface CompletionRow {
  readonly user_id: number;
  readonly ext_uid: string | null;
  readonly name: string;
  readonly email: string;
  readonly custom_fields: Record<string, string> | null;
  readonly lesson_id: number;
  readonly title: string;
  readonly retake_score: number;
  readonly score: number | null;
  readonly started_at: string;
  readonly finished_at: string;
  readonly assignment_id: number | null;
  readonly assigned_at: string | null;
}

const selectCompletion = prepare<{ company_id: number; attempt_id: number }, CompletionRow>(
  (_db, place) => sql<CompletionRow>`
    select attempts.user_id, users.ext_uid, users.name, users.email, attempts.lesson_id, lessons.title,
      lessons.retake_score, attempts.score, attempts.started_at, attempts.finished_at,
      assignments.id as assignment_id, assignments.assigned_at,
      (
        select json_object_agg(field.name, held.value order by field.id)
        from custom_user_field_values held
        join custom_user_fields field on field.company_id = ${place("company_id")}
          and field.id = held.custom_user_field_id
        where held.company_id = ${place("company_id")} and held.user_id = attempts.user_id
      ) as custom_fields
    from attempts
    join users on users.company_id = ${place("company_id")} and users.id = attempts.user_id
    join lessons on lessons.company_id = ${place("company_id")} and lessons.id = attempts.lesson_id
    left join assignments on assignments.company_id = ${place("company_id")}
      and assignments.id = attempts.assignment_id
    where attempts.company_id = ${place("company_id")} and attempts.id = ${place("attempt_id")}`,
);
