import assert from "node:assert/strict";
import pg from "pg";
import type { TestServer } from "./server.ts";

/** Fails unless everything that is counted as it changes equals the rows, in every company. */
export async function assertCountsHold({ ownerUrl, acme, globex }: TestServer): Promise<void> {
  await assertCountsOf(ownerUrl, [acme.company, globex.company]);
}

/** The same for any companies, of a database whose owner the URL signs in as. */
export async function assertCountsOf(
  ownerUrl: string,
  companies: readonly { readonly id: number; readonly subdomain: string }[],
): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    for (const company of companies) {
      await owner.query("select set_config('app.company_id', $1, false)", [String(company.id)]);
      for (const [what, text] of Object.entries(differences)) {
        const { rows } = await owner.query(text, [company.id]);
        assert.deepEqual(rows, [], `${what} of ${company.subdomain}`);
      }
    }
  } finally {
    await owner.end();
  }
}

const totals = [
  "users",
  "groups",
  "lessons",
  "paths",
  "courses",
  "tags",
  "custom_user_fields",
  "custom_user_field_values",
  "group_assignments",
  "assignments",
].map(
  (kind) => `select '${kind}' as kind, count(*) as rows, max(id) as last from ${kind} where company_id = $1`,
);
const byStatus = ["Incomplete", "Grade Pending", "Completed"].map(
  (status) =>
    `select 'assignments/${status}', count(*), null from assignments where company_id = $1 and status = '${status}'`,
);

/** Statements that find what is counted otherwise than it is. */
const differences = {
  totals: `
    select kind, rows, total, last, last_id from (${[...totals, ...byStatus].join(" union all ")}) counted
    join counters using (kind) where company_id = $1 and (rows <> total or last > last_id)`,
  lists: `
    with block as (
      select list, first_id, total, lead(first_id) over (partition by list order by first_id) as next
      from list_blocks where company_id = $1
    ), item as (
      select 'users' as list, id from users where company_id = $1
      union all select 'assignments', id from assignments where company_id = $1
      union all select 'assignments/' || assignable_type || '/' || assignable_id, id from assignments where company_id = $1
    )
    select coalesce(block.list, item.list) as list, first_id, total, count(item.id) as rows
    from block full join item on item.list = block.list and item.id >= first_id and (next is null or item.id < next)
    group by 1, 2, 3 having total is distinct from count(item.id)`,
  "counts of lessons, paths and courses": `
    select a.* from assignables a
    cross join lateral (
      select count(*) as assignees, count(*) filter (where status = 'Completed') as completed,
        count(*) filter (where status <> 'Incomplete') as finished
      from assignments s where s.company_id = $1 and s.assignable_type = a.assignable_type and s.assignable_id = a.assignable_id
    ) own
    cross join lateral (
      select count(*) as learners, count(*) filter (where via_assignment) as via
      from lesson_completions c where c.company_id = $1 and c.lesson_id = a.assignable_id
    ) lesson
    where a.company_id = $1 and (
      assignees_count <> assignees or completed_count <> completed
      or total_completions <> case assignable_type when 'Lesson' then learners else finished end
      or via_assignment <> case assignable_type when 'Lesson' then via else finished end
    )`,
  "who has completed a lesson": `
    with actual as (
      select lesson_id, user_id, bool_or(via) as via_assignment from (
        select assignable_id as lesson_id, assignee_id as user_id, true as via from assignments
        where company_id = $1 and assignable_type = 'Lesson' and status <> 'Incomplete'
        union all
        select lesson_id, user_id, false from lesson_progress where company_id = $1 and status <> 'Incomplete'
        union all
        select lesson_id, user_id, false from attempts
        where company_id = $1 and assignment_id is null and status in ('grade_pending', 'completed')
      ) finished group by 1, 2
    ), stored as (select lesson_id, user_id, via_assignment from lesson_completions where company_id = $1)
    (table actual except table stored) union all (table stored except table actual)`,
  "due dates": `
    with actual as (
      select (due_by at time zone 'UTC')::date as due_on, count(*) as incomplete from assignments
      where company_id = $1 and status = 'Incomplete' and due_by is not null group by 1
    ), stored as (select due_on, incomplete from due_dates where company_id = $1 and incomplete <> 0)
    (table actual except table stored) union all (table stored except table actual)`,
  "changes after the counter's time": `
    select id, updated_at, moved_at from assignments join counters using (company_id)
    where company_id = $1 and kind = 'assignments' and updated_at > moved_at`,
} as const;
