import type { Client } from "pg";

/** How much a company has. Assignments are of lessons and paths, or of paths alone. */
export interface Size {
  readonly users: number;
  readonly lessons: number;
  readonly paths: number;
  readonly assignments: number;
  readonly of: "lessons and paths" | "paths";
}

/** Rows that a block of a list counts, as server/db/lists.ts fills them. */
const BLOCK_SIZE = 2_048;

/**
 * Fills a company that was just made, with statements that make their rows in PostgreSQL: a million assignments take
 * half a minute. What is counted is counted here as the service would have.
 */
export async function fillCompany(client: Client, company: number, size: Size): Promise<void> {
  await withoutChecks(client, async () => {
    for (const statement of [
      ...peopleOf(company, size),
      ...contentOf(company, size),
      ...assignmentsOf(company, size),
    ]) {
      await client.query(statement);
    }
  });
}

/** Fills tables in one transaction. References are not checked row by row: they are right by construction. */
export async function withoutChecks<T>(client: Client, fill: () => Promise<T>): Promise<T> {
  await client.query("begin");
  await client.query("set local session_replication_role = replica");
  const filled = await fill();
  await client.query("commit");
  return filled;
}

/** Users 2 to n (the administrator is 1), with two custom fields each, in 40 groups. */
function peopleOf(company: number, { users }: Size): string[] {
  return [
    `insert into users (company_id, id, name, email, email_key, role_id, ext_uid, job_title, business_unit, department,
       location, locale, hire_date, manager_name, mobile_phone_number, archived_at, created_at)
     select ${company}, id, 'Person ' || id, 'person' || id || '@example.com', 'person' || id || '@example.com', 32,
       'E-' || id, 'Engineer', 'Unit ' || id % 7, 'Department ' || id % 20, 'Berlin', 'en',
       date '2015-01-01' + (id % 3000), 'Grace Hopper', '+49 30 ' || id,
       case when id % 50 = 0 then timestamptz '2025-06-01 10:00:00.123+00' end,
       timestamptz '2020-01-01 00:00:00+00' + make_interval(mins => id)
     from generate_series(2, ${users}) id`,
    `insert into custom_user_fields (company_id, id, name, name_key)
     select ${company}, id, 'Field ' || id, 'field ' || id from generate_series(1, 2) id`,
    `insert into custom_user_field_values (company_id, id, user_id, custom_user_field_id, value)
     select ${company}, 2 * (user_id - 2) + field, user_id, field, 'Value ' || user_id % 30
     from generate_series(2, ${users}) user_id, generate_series(1, 2) field`,
    `insert into groups (company_id, id, name, created_at)
     select ${company}, id, 'Group ' || id, timestamptz '2020-01-01 00:00:00+00' from generate_series(1, 40) id`,
    `insert into memberships (company_id, group_id, role, user_id)
     select ${company}, 1 + (user_id + step) % 40, 'member', user_id
     from generate_series(2, ${users}) user_id, generate_series(0, 1) step
     union all
     select ${company}, 1 + user_id % 40, 'manager', user_id from generate_series(2, ${users}, 100) user_id`,
    blocksOf(company, "users", `select 'users' as list, id from users where company_id = ${company}`),
    counted(company, "users"),
    counted(company, "custom_user_fields"),
    counted(company, "custom_user_field_values"),
    counted(company, "groups"),
  ];
}

/** Of three paths the first holds lessons and the second, which holds lessons and the third, which holds lessons. */
function contentOf(company: number, { lessons, paths }: Size): string[] {
  const made = "timestamptz '2020-01-01 00:00:00+00'";
  const lesson = `1 + (7 * path_id + position) % ${Math.max(lessons, 1)}`;
  return [
    `insert into lessons (company_id, id, title, retake_score, public, created_at)
     select ${company}, id, 'Lesson ' || id, 80, false, ${made} from generate_series(1, ${lessons}) id`,
    `insert into paths (company_id, id, title, description, enforced_order, public, is_certification, created_at)
     select ${company}, id, 'Path ' || id, '', true, false, id % 2 = 0, ${made} from generate_series(1, ${paths}) id`,
    `insert into path_items (company_id, path_id, position, resource_type, lesson_id)
     select ${company}, path_id, position, 'lesson', ${lesson}
     from generate_series(1, ${paths}) path_id, generate_series(0, 2) position`,
    `insert into path_items (company_id, path_id, position, resource_type, item_id, effect, condition, unit, amount)
     select ${company}, path_id, 3, 'wait_step', path_id, 'locked', 'prev_step_finished', 'days', 2
     from generate_series(1, ${paths}) path_id`,
    `insert into path_items (company_id, path_id, position, resource_type, nested_path_id)
     select ${company}, path_id, 4, 'path', path_id + 1 from generate_series(1, ${paths - 1}) path_id where path_id % 3 > 0`,
    `insert into assignables select ${company}, 'Lesson', id, 0, 0, 0, 0 from generate_series(1, ${lessons}) id`,
    `insert into assignables select ${company}, 'LearningPaths::Path', id, 0, 0, 0, 0 from generate_series(1, ${paths}) id`,
    counted(company, "lessons"),
    counted(company, "paths"),
    `update counters set last_id = ${paths}, total = ${paths} where company_id = ${company} and kind = 'path_items'`,
  ];
}

/** Each user has many things, no thing twice: the n-th round gives all users their n-th. */
function assignmentsOf(company: number, { users, lessons, paths, assignments, of }: Size): string[] {
  if (assignments === 0) return [];
  const lessonsGiven = of === "paths" ? 0 : lessons;
  const thing = `((i / ${users} + i % ${users}) % ${lessonsGiven + paths})`;
  const isCompleted = "i % 5 < 2";
  const moment = "timestamptz '2024-01-01 00:00:00.123456+00' + make_interval(secs => i * 7)";
  return [
    `insert into assignments (company_id, id, assignee_id, assignable_type, assignable_id, assigned_at, due_by,
       started_at, completed_at, updated_at, status, score)
     select ${company}, i + 1, 1 + i % ${users},
       case when ${thing} < ${lessonsGiven} then 'Lesson' else 'LearningPaths::Path' end,
       1 + case when ${thing} < ${lessonsGiven} then ${thing} else ${thing} - ${lessonsGiven} end,
       ${moment}, case when i % 3 > 0 then timestamptz '2024-06-01 00:00:00+00' + make_interval(days => i % 2000) end,
       case when ${isCompleted} then ${moment} + interval '1 hour' end,
       case when ${isCompleted} then ${moment} + interval '2 hours' end,
       ${moment} + interval '2 hours',
       case when ${isCompleted} then 'Completed' when i % 20 = 19 then 'Grade Pending' else 'Incomplete' end,
       case when ${isCompleted} then 60 + i % 41 end
     from generate_series(0, ${assignments - 1}) i`,
    `insert into lesson_progress
       (company_id, assignment_id, lesson_id, user_id, started_at, completed_at, status, score)
     select distinct on (a.id, item.lesson_id) ${company}, a.id, item.lesson_id, a.assignee_id, a.assigned_at,
       a.assigned_at + interval '1 hour', 'Completed', 90
     from assignments a
     join path_items item on item.company_id = a.company_id and item.path_id = a.assignable_id and item.position < 2
     where a.company_id = ${company} and a.assignable_type = 'LearningPaths::Path' and a.status = 'Completed'
       and item.resource_type = 'lesson'`,
    `insert into lesson_completions (company_id, lesson_id, user_id, via_assignment)
     select ${company}, lesson_id, user_id, bool_or(via)
     from (
       select assignable_id as lesson_id, assignee_id as user_id, true as via from assignments
       where company_id = ${company} and assignable_type = 'Lesson' and status <> 'Incomplete'
       union all
       select lesson_id, user_id, false from lesson_progress where company_id = ${company}
     ) done group by 2, 3`,
    ...countsOf(company),
  ];
}

/** What is counted of the assignments. */
function countsOf(company: number): string[] {
  return [
    `update assignables set assignees_count = sums.assignees, completed_count = sums.completed,
       total_completions = sums.finished + sums.other, via_assignment = sums.finished
     from (
       select assignable_type, assignable_id, count(*) as assignees,
         count(*) filter (where status = 'Completed') as completed,
         count(*) filter (where status <> 'Incomplete') as finished,
         case when assignable_type = 'Lesson' then (
           select count(*) from lesson_completions where company_id = ${company} and lesson_id = assignable_id
             and not via_assignment
         ) else 0 end as other
       from assignments where company_id = ${company} group by 1, 2
     ) sums
     where assignables.company_id = ${company} and assignables.assignable_type = sums.assignable_type
       and assignables.assignable_id = sums.assignable_id`,
    `insert into due_dates (company_id, due_on, incomplete)
     select ${company}, (due_by at time zone 'UTC')::date, count(*) from assignments
     where company_id = ${company} and status = 'Incomplete' and due_by is not null group by 2`,
    blocksOf(
      company,
      "assignments",
      `select 'assignments' as list, id from assignments where company_id = ${company}`,
    ),
    blocksOf(
      company,
      "things",
      `select 'assignments/' || assignable_type || '/' || assignable_id as list, id
       from assignments where company_id = ${company}`,
    ),
    counted(company, "assignments"),
    ...["Completed", "Grade Pending", "Incomplete"].map(
      (status) =>
        `update counters set total = (
           select count(*) from assignments where company_id = ${company} and status = '${status}'
         ) where company_id = ${company} and kind = 'assignments/${status}'`,
    ),
  ];
}

/** Counts a list's ids into list_blocks, in blocks of neighbouring ids. */
function blocksOf(company: number, name: string, ids: string): string {
  // The administrator's block was made with the company.
  const clear =
    name === "users" ? `delete from list_blocks where company_id = ${company} and list = 'users';` : "";
  return `${clear}
    insert into list_blocks (company_id, list, first_id, total)
    select ${company}, list, min(id), count(*)
    from (select list, id, (row_number() over (partition by list order by id) - 1) / ${BLOCK_SIZE} as block from (${ids}) l) b
    group by list, block`;
}

function counted(company: number, table: string): string {
  return `update counters set (last_id, total) = (select coalesce(max(id), 0), count(*) from ${table} where company_id = ${company})
    where company_id = ${company} and kind = '${table}'`;
}
