import type { FastifyReply } from "fastify";

/** Sends an answer as JSON. */
export function send(reply: FastifyReply, answer: object): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(answer));
}

/** The columns of a user as answers show them, of `users u` and `roles r`. */
export const userFields = `u.id, u.name, u.email, r.name as role, u.role_id, u.ext_uid, u.job_title, u.business_unit,
  u.department, u.location, u.locale, u.hire_date, u.manager_name, u.archived_at, u.archived_by_user_id`;

export interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly role_id: number;
  readonly ext_uid: string | null;
  readonly job_title: string | null;
  readonly business_unit: string | null;
  readonly department: string | null;
  readonly location: string | null;
  readonly locale: string;
  readonly hire_date: string | null;
  readonly manager_name: string | null;
  readonly archived_at: string | null;
  readonly archived_by_user_id: number | null;
}

export function toUser(row: UserRow): object {
  return {
    id: row.id,
    resource_type: "user",
    name: row.name,
    email: row.email,
    role: row.role,
    role_id: row.role_id,
    ext_uid: row.ext_uid,
    job_title: row.job_title,
    business_unit: row.business_unit,
    department: row.department,
    location: row.location,
    locale: row.locale,
    hire_date: row.hire_date,
    manager_name: row.manager_name,
    archived_at: row.archived_at && `${row.archived_at.slice(0, 10)}T${row.archived_at.slice(11, 23)}+00:00`,
    archived_by_user_id: row.archived_by_user_id,
  };
}

/** The columns of an assignment as answers show them, of `assignments a` and `users u`. */
export const assignmentFields = `a.id, a.assignee_id, a.assignable_type, a.assignable_id, u.ext_uid, a.assigned_at,
  a.due_by, a.reassigned_at, a.started_at, a.completed_at, a.updated_at, a.status, a.score`;

export interface AssignmentRow {
  readonly id: number;
  readonly assignee_id: number;
  readonly assignable_type: string;
  readonly assignable_id: number;
  readonly ext_uid: string | null;
  readonly assigned_at: string;
  readonly due_by: string | null;
  readonly reassigned_at: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly updated_at: string;
  readonly status: string;
  readonly score: number | null;
}

export function toAssignment(row: AssignmentRow): object {
  const isOverdue = row.status === "Incomplete" && row.due_by !== null && row.due_by < today();
  return {
    id: row.id,
    resource_type: "assignment",
    assignee_id: row.assignee_id,
    assignable_type: row.assignable_type,
    assignable_id: row.assignable_id,
    ext_uid: row.ext_uid,
    assigned_at: time(row.assigned_at),
    due_by: time(row.due_by),
    reassigned_at: time(row.reassigned_at),
    started_at: time(row.started_at),
    completed_at: time(row.completed_at),
    updated_at: time(row.updated_at),
    status: isOverdue ? "Overdue" : row.status,
    score: row.score,
  };
}

function time(text: string | null): string | null {
  return text && `${text.slice(0, 10)}T${text.slice(11, 19)}Z`;
}

let todayText = "";
let todayUntil = 0;
function today(): string {
  if (performance.now() > todayUntil) {
    todayText = new Date().toISOString().slice(0, 10);
    todayUntil = performance.now() + 1000;
  }
  return todayText;
}

/** The contents of a path with the assignee's progress, as JSON, nested to so many levels. Of `assignments a`. */
export function contentsOf(path_id: string, levels: number): string {
  if (levels === 0) return "'[]'::json";
  const [item, done] = [`item${levels}`, `done${levels}`];
  const lesson = `'id', ${item}.lesson_id, 'resource_type', 'lesson', 'started_at', ${timeText(`${done}.started_at`)},
    'completed_at', ${timeText(`${done}.completed_at`)},
    'status', case ${done}.status when 'Completed' then 'Completed' else 'Incomplete' end`;
  return `coalesce((
    select json_agg(case
      when ${item}.resource_type = 'path' then json_build_object('id', ${item}.nested_path_id, 'resource_type', 'path',
        'contents', ${contentsOf(`${item}.nested_path_id`, levels - 1)})
      when ${done}.score is null then json_build_object(${lesson})
      else json_build_object(${lesson}, 'score', ${done}.score)
    end order by ${item}.position)
    from path_items ${item}
    left join lesson_progress ${done} on ${done}.company_id = ${item}.company_id and ${done}.assignment_id = a.id
      and ${done}.lesson_id = ${item}.lesson_id
    where ${item}.company_id = a.company_id and ${item}.path_id = ${path_id}
      and ${item}.resource_type in ('lesson', 'path')
  ), '[]')`;
}

function timeText(column: string): string {
  return `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}

/** A time as version 2 writes it. */
export function toTime(text: string | null): string | null {
  return text && `${text.slice(0, 10)}T${text.slice(11, 19)}Z`;
}
