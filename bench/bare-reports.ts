import type { FastifyInstance } from "fastify";
import type { Pool } from "pg";
import { send } from "./bare-rows.ts";

interface Place {
  Params: { company: string; id: string };
}

const isMember = (user: string) => `${user} in (
  select user_id from memberships where company_id = $1 and group_id = $2 and role = 'member'
)`;

/** What each report counts, as conditions over assignments `a` and attempts `t`. */
const reports = {
  company: { of: "companies", id: "company_id", assignments: "true", attempts: "true", title: "name" },
  lessons: {
    of: "lessons",
    id: "id",
    assignments: "a.assignable_type = 'Lesson' and a.assignable_id = $2",
    attempts: "t.lesson_id = $2",
    title: "title",
  },
  paths: {
    of: "paths",
    id: "id",
    assignments: "a.assignable_type = 'LearningPaths::Path' and a.assignable_id = $2",
    attempts: `t.assignment_id in (
      select id from assignments
      where company_id = $1 and assignable_type = 'LearningPaths::Path' and assignable_id = $2
    )`,
    title: "title",
  },
  groups: {
    of: "groups",
    id: "id",
    assignments: isMember("a.assignee_id"),
    attempts: isMember("t.user_id"),
    title: "name",
  },
  users: {
    of: "users",
    id: "id",
    assignments: "a.assignee_id = $2",
    attempts: "t.user_id = $2",
    title: "name",
  },
} as const;

/** The aggregates that reports are made of, each in one statement. */
export function registerBareReports(app: FastifyInstance, pool: Pool): void {
  for (const [name, report] of Object.entries(reports)) {
    app.get<Place>(`/:company/reports/${name}/:id`, async ({ params }, reply) => {
      const text = toStatement(report);
      const { rows } = await pool.query<Row>({ name, text, values: [params.company, params.id] });
      const [row] = rows;
      return row === undefined ? reply.code(404).send() : send(reply, toAnswer(name, row));
    });
  }
  app.get<Place>("/:company/reports/questions/:id", async ({ params }, reply) => {
    const { rows } = await pool.query<{ question_id: string; attempts: number }>({
      name: "questions",
      text: questionsText,
      values: [params.company, params.id],
    });
    const questions = [...Map.groupBy(rows, ({ question_id }) => question_id).values()];
    return send(reply, { attempts: rows[0]?.attempts ?? 0, questions });
  });
}

type Report = (typeof reports)[keyof typeof reports];

interface Row {
  readonly id: number;
  readonly title: string;
  readonly average_score: number | null;
  readonly average_seconds: number | null;
  readonly tenths: Record<string, number> | null;
}

function toStatement({ of, id, assignments, attempts, title }: Report): string {
  const isOfContent = title === "title";
  return `select thing.${id} as id, thing.${title} as title, counted.*, spent.average_seconds
    ${isOfContent ? ", scored.tenths" : ""}
    from ${of} thing,
    lateral (
      select count(*)::integer as assigned,
        (count(*) filter (where status = 'Incomplete' and started_at is null))::integer as not_started,
        (count(*) filter (where status = 'Incomplete' and started_at is not null))::integer as in_progress,
        (count(*) filter (where status = 'Grade Pending'))::integer as grade_pending,
        (count(*) filter (where status = 'Completed'))::integer as completed,
        (count(*) filter (where status = 'Incomplete' and due_by < current_date))::integer as overdue,
        (avg(score) filter (where status = 'Completed'))::double precision as average_score
      from assignments a where a.company_id = $1 and ${assignments}
    ) counted,
    lateral (
      select round(avg(seconds_spent))::integer as average_seconds
      from attempts t where t.company_id = $1 and finished_at is not null and ${attempts}
    ) spent
    ${isOfContent ? `, lateral (${tenthsText(assignments)}) scored` : ""}
    where thing.company_id = $1 and thing.${id} = $2`;
}

function tenthsText(assignments: string): string {
  return `select json_object_agg(tenth, scores) as tenths from (
    select least(score / 10, 9) as tenth, count(*) as scores
    from assignments a
    where a.company_id = $1 and status = 'Completed' and score is not null and ${assignments} group by 1
  ) tenths`;
}

function toAnswer(
  name: string,
  { id, title, average_score, average_seconds, tenths, ...counts }: Row,
): object {
  const summary = {
    ...counts,
    average_score: average_score === null ? null : Math.round(average_score * 10) / 10,
    average_seconds,
  };
  if (name === "company") return { summary };
  if (tenths === undefined) return { id, name: title, summary };
  const score_distribution = Array.from({ length: 10 }, (_, tenth) => tenths?.[tenth] ?? 0);
  return { id, title, summary, score_distribution };
}

const questionsText = `select question_id, answer, count(*)::integer as answers, sum(points) as points,
    count(points)::integer as graded,
    (
      select count(*)::integer from attempts
      where company_id = $1 and lesson_id = $2 and version = 1 and status in ('grade_pending', 'completed', 'failed')
    ) as attempts
  from attempts t
  join attempt_answers a on a.company_id = $1 and a.attempt_id = t.id
  where t.company_id = $1 and t.lesson_id = $2 and t.version = 1
    and t.status in ('grade_pending', 'completed', 'failed')
  group by question_id, answer`;
