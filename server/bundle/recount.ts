import { sql } from "kysely";
import type { Kind } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { rebuildLists } from "../db/lists.ts";

/**
 * Counts everything of the company anew from its rows, with a few statements however many there are. What is counted
 * is what each single write would have counted: the comments on the tables say it.
 */
export async function recount(tx: WriteTx): Promise<void> {
  await countTotals(tx);
  await countDueDates(tx);
  await countLearners(tx);
  await countThings(tx);
  await rebuildLists(tx, { table: "users", by: [] });
  await rebuildLists(tx, { table: "assignments", by: [] });
  await rebuildLists(tx, { table: "assignments", by: ["assignable_type", "assignable_id"] });
}

/** Lets the counters go on from what was imported: from the largest ids, and after the latest change. */
export async function moveCountersOn(
  tx: WriteTx,
  { ids, at }: { readonly ids: readonly (readonly [Kind, number])[]; readonly at: string },
): Promise<void> {
  await sql`
    update counters set moved_at = greatest(moved_at, ${at}) where company_id = ${tx.company.id}`.execute(
    tx.sql,
  );
  await sql`
    update counters set last_id = greatest(counters.last_id, largest.id)
    from unnest(
      ${ids.map(([kind]) => kind)}::text[],
      ${ids.map(([, id]) => id)}::bigint[]
    ) as largest (kind, id)
    where counters.company_id = ${tx.company.id} and counters.kind = largest.kind`.execute(tx.sql);
}

/** Kinds whose total is the number of rows of the table of that name. */
const tables = [
  "assignments",
  "attempts",
  "certificates",
  "courses",
  "custom_user_field_values",
  "custom_user_fields",
  "files",
  "group_assignments",
  "groups",
  "lessons",
  "path_items",
  "paths",
  "tags",
  "users",
] as const;

async function countTotals(tx: WriteTx): Promise<void> {
  const company_id = tx.company.id;
  const totals = tables.map(
    (table) => sql`select ${sql.lit(table)} as kind, count(*) as total
      from ${sql.table(table)} where company_id = ${company_id}`,
  );
  await sql`
    update counters set total = counted.total
    from (
      ${sql.join(totals, sql` union all `)}
      union all
      select 'active_rules', count(*) from groups where company_id = ${company_id} and rule is not null
      union all
      select 'file_bytes', coalesce(sum(size), 0) from file_blobs
      where company_id = ${company_id} and released_at is null
      union all
      select 'assignments/' || status.name, count(assignments.id)
      from (values ('Completed'), ('Grade Pending'), ('Incomplete')) as status (name)
      left join assignments on assignments.company_id = ${company_id} and assignments.status = status.name
      group by status.name
    ) counted
    where counters.company_id = ${company_id} and counters.kind = counted.kind`.execute(tx.sql);
}

async function countDueDates(tx: WriteTx): Promise<void> {
  await tx.sql.deleteFrom("due_dates").where("company_id", "=", tx.company.id).execute();
  await sql`
    insert into due_dates (company_id, due_on, incomplete)
    select company_id, (due_by at time zone 'UTC')::date as due_on, count(*)
    from assignments
    where company_id = ${tx.company.id} and status = 'Incomplete' and due_by is not null
    group by company_id, due_on
    on conflict (company_id, due_on) do nothing`.execute(tx.sql);
}

/** A learner counts once in a lesson, however many ways led there; the way of an assignment of the lesson counts first. */
async function countLearners(tx: WriteTx): Promise<void> {
  await tx.sql.deleteFrom("lesson_completions").where("company_id", "=", tx.company.id).execute();
  await sql`
    insert into lesson_completions (company_id, lesson_id, user_id, via_assignment)
    select company_id, lesson_id, user_id, bool_or(via_assignment)
    from (
      select company_id, assignable_id as lesson_id, assignee_id as user_id, true as via_assignment
      from assignments
      where company_id = ${tx.company.id} and assignable_type = 'Lesson' and status <> 'Incomplete'
      union all
      select company_id, lesson_id, user_id, false
      from lesson_progress
      where company_id = ${tx.company.id} and status <> 'Incomplete'
      union all
      select company_id, lesson_id, user_id, false
      from attempts
      where company_id = ${tx.company.id} and assignment_id is null and status in ('grade_pending', 'completed')
    ) way
    group by company_id, lesson_id, user_id
    on conflict (company_id, lesson_id, user_id) do nothing`.execute(tx.sql);
}

async function countThings(tx: WriteTx): Promise<void> {
  const company_id = tx.company.id;
  await sql`
    update assignables
    set assignees_count = counted.assignees,
      completed_count = counted.completed,
      total_completions = counted.total,
      via_assignment = counted.via
    from (
      select thing.assignable_type, thing.assignable_id,
        coalesce(direct.assignees, 0) as assignees,
        coalesce(direct.completed, 0) as completed,
        coalesce(case thing.assignable_type when 'Lesson' then learners.total else direct.finished end, 0) as total,
        coalesce(case thing.assignable_type when 'Lesson' then learners.via else direct.finished end, 0) as via
      from assignables thing
      left join (
        select assignable_type, assignable_id, count(*) as assignees,
          count(*) filter (where status = 'Completed') as completed,
          count(*) filter (where status <> 'Incomplete') as finished
        from assignments
        where company_id = ${company_id}
        group by assignable_type, assignable_id
      ) direct on direct.assignable_type = thing.assignable_type and direct.assignable_id = thing.assignable_id
      left join (
        select lesson_id, count(*) as total, count(*) filter (where via_assignment) as via
        from lesson_completions
        where company_id = ${company_id}
        group by lesson_id
      ) learners on thing.assignable_type = 'Lesson' and learners.lesson_id = thing.assignable_id
      where thing.company_id = ${company_id}
    ) counted
    where assignables.company_id = ${company_id}
      and assignables.assignable_type = counted.assignable_type
      and assignables.assignable_id = counted.assignable_id`.execute(tx.sql);
}
