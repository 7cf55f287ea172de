import type { Pool } from "pg";
import { encodeCursor } from "../server/http/cursor.ts";
import { toTime } from "./bare-rows.ts";

const PAGE = 50;

interface MyRow {
  readonly id: number;
  readonly assignable_type: string;
  readonly assignable_id: number;
  readonly assigned_at: string;
  readonly due_by: string | null;
  readonly reassigned_at: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly updated_at: string;
  readonly status: string;
  readonly score: number | null;
  readonly title: string;
  readonly attempt_id: number | null;
  readonly is_takeable: boolean;
}

/** What a learner is assigned, what is due first before all else. */
export async function listMine(pool: Pool, company: string, user: string): Promise<object> {
  const { rows } = await pool.query<MyRow>({
    name: "mine",
    text: `select page.*,
        coalesce(l.title, p.title, c.title) as title,
        case when page.assignable_type = 'Lesson' then (
          select a.id from attempts a where a.company_id = $1 and a.user_id = $2 and a.lesson_id = page.assignable_id
            and a.status = 'open'
        ) end as attempt_id,
        coalesce(l.archived_at is null and l.published_version is not null, false) as is_takeable
      from (
        select id, assignable_type, assignable_id, assigned_at, due_by, reassigned_at, started_at, completed_at,
          updated_at, status, score
        from assignments where company_id = $1 and assignee_id = $2 order by due_by nulls last, id limit $3
      ) page
      left join lessons l on page.assignable_type = 'Lesson' and l.company_id = $1 and l.id = page.assignable_id
      left join paths p on page.assignable_type = 'LearningPaths::Path' and p.company_id = $1 and p.id = page.assignable_id
      left join courses c on page.assignable_type = 'Course' and c.company_id = $1 and c.id = page.assignable_id
      order by due_by nulls last, id`,
    values: [company, user, PAGE + 1],
  });
  const shown = rows.slice(0, PAGE);
  const places = await findPlaces(pool, company, shown);
  const steps = await findSteps(pool, company, shown);
  const last = shown.at(-1);
  return {
    data: shown.map((row) => toMine(row, places, steps)),
    next: rows.length > PAGE && last ? encodeCursor([last.due_by, last.id]) : null,
  };
}

interface Content {
  readonly sections: readonly { readonly pages: readonly { readonly id: string }[] }[];
}

/** A version never changes, so it is read once. */
const contents = new Map<string, Content>();

async function findPlaces(
  pool: Pool,
  company: string,
  shown: readonly MyRow[],
): Promise<Map<number, number>> {
  const ids = shown.flatMap(({ attempt_id }) => attempt_id ?? []);
  const { rows } = await pool.query<{ id: number; lesson_id: number; version: number; page_id: string }>({
    name: "places",
    text: `select a.*, v.title, v.published_at
      from attempts a
      join lesson_versions v on v.company_id = a.company_id and v.lesson_id = a.lesson_id and v.number = a.version
      where a.company_id = $1 and a.id = any($2::bigint[])`,
    values: [company, ids],
  });
  const places = new Map<number, number>();
  for (const { id, lesson_id, version, page_id } of rows) {
    const key = `${company}/${lesson_id}/${version}`;
    const content = contents.get(key) ?? (await readContent(pool, [company, lesson_id, version]));
    contents.set(key, content);
    const pages = content.sections.flatMap((section) => section.pages);
    const index = pages.findIndex((page) => page.id === page_id);
    places.set(id, index <= 0 ? 0 : Math.floor((100 * index) / pages.length));
  }
  return places;
}

async function readContent(pool: Pool, values: (string | number)[]): Promise<Content> {
  const { rows } = await pool.query<{ content: Content }>({
    name: "content",
    text: "select content from lesson_versions where company_id = $1 and lesson_id = $2 and number = $3",
    values,
  });
  return rows[0]?.content ?? { sections: [] };
}

interface Step {
  readonly assignment_id: number;
  readonly lesson_id: number;
  readonly title: string;
  readonly status: string | null;
}

/** The lessons of the paths in their order with the learner's progress. No wait of the bench's paths comes before one. */
async function findSteps(pool: Pool, company: string, shown: readonly MyRow[]): Promise<Map<number, Step[]>> {
  const paths = shown.filter(({ assignable_type }) => assignable_type === "LearningPaths::Path");
  if (paths.length === 0) return new Map();
  const { rows } = await pool.query<Step>({
    name: "steps",
    text: `with recursive held (assignment_id, path_id, place) as (
        select id, assignable_id, array[]::integer[] from assignments where company_id = $1 and id = any($2::bigint[])
        union all
        select held.assignment_id, item.nested_path_id, held.place || item.position
        from held
        cross join lateral (
          select nested_path_id, position from path_items
          where company_id = $1 and path_id = held.path_id and nested_path_id is not null offset 0
        ) item
      )
      select held.assignment_id, item.lesson_id, l.title, p.status
      from held
      join path_items item on item.company_id = $1 and item.path_id = held.path_id and item.lesson_id is not null
      join lessons l on l.company_id = $1 and l.id = item.lesson_id and l.archived_at is null
      left join lesson_progress p on p.company_id = $1 and p.assignment_id = held.assignment_id
        and p.lesson_id = item.lesson_id
      order by held.assignment_id, held.place || item.position`,
    values: [company, paths.map(({ id }) => id)],
  });
  return Map.groupBy(rows, ({ assignment_id }) => assignment_id);
}

function toMine(row: MyRow, places: ReadonlyMap<number, number>, steps: ReadonlyMap<number, Step[]>): object {
  const isOverdue = row.status === "Incomplete" && row.due_by !== null && row.due_by < today();
  return {
    id: row.id,
    resource_type: "assignment",
    assignable_type: row.assignable_type,
    assignable_id: row.assignable_id,
    assigned_at: toTime(row.assigned_at),
    due_by: toTime(row.due_by),
    reassigned_at: toTime(row.reassigned_at),
    started_at: toTime(row.started_at),
    completed_at: toTime(row.completed_at),
    updated_at: toTime(row.updated_at),
    status: isOverdue ? "Overdue" : row.status,
    score: row.score,
    title: row.title,
    state: isOverdue ? "overdue" : stateOf(row),
    attempt_id: row.attempt_id,
    ...headwayOf(row, places, steps.get(row.id) ?? []),
    next_opens_at: null,
  };
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function stateOf({ status, started_at }: MyRow): string {
  if (status === "Completed") return "done";
  if (status === "Grade Pending") return "grading";
  return started_at === null ? "assigned" : "in_progress";
}

function headwayOf(row: MyRow, places: ReadonlyMap<number, number>, steps: readonly Step[]): object {
  if (row.status === "Completed") return { progress: 100, next_step: null };
  if (row.assignable_type === "Lesson") {
    if (row.status !== "Incomplete") return { progress: 100, next_step: null };
    const next_step = row.is_takeable ? { lesson_id: row.assignable_id, title: row.title } : null;
    return { progress: places.get(row.attempt_id ?? 0) ?? 0, next_step };
  }
  const all = new Set(steps.map(({ lesson_id }) => lesson_id));
  const done = new Set(
    steps.filter(({ status }) => status === "Completed").map(({ lesson_id }) => lesson_id),
  );
  const next = row.status === "Incomplete" ? steps.find(({ status }) => status !== "Completed") : undefined;
  return {
    progress: all.size === 0 ? 0 : Math.floor((100 * done.size) / all.size),
    next_step: next ? { lesson_id: next.lesson_id, title: next.title } : null,
  };
}
