import fastify from "fastify";
import { Pool, types } from "pg";
import { assignmentFields, contentsOf, send, toAssignment, toUser, userFields } from "./bare-rows.ts";
import type { AssignmentRow, UserRow } from "./bare-rows.ts";
import { registerBareV2 } from "./bare-v2.ts";

// What the service is measured against: Fastify and pg with one hand-written statement and JSON.stringify. It gives
// the same data, and has no authentication, no wall between companies, no limits, no validation and no log.

const [url] = process.argv.slice(2);
for (const type of [types.builtins.TIMESTAMPTZ, types.builtins.DATE]) types.setTypeParser(type, String);
types.setTypeParser(types.builtins.INT8, Number);
const pool = new Pool({ connectionString: url, max: 10, options: "-c timezone=UTC" });
/** As deep as the paths of the bench nest. */
const NESTED_LEVELS = 3;
const app = fastify({ logger: false });

interface Place {
  Params: { company: string; id: string };
}
interface Listing extends Place {
  Querystring: { page: string; per_page: string };
}

function readPage({ page, per_page }: Listing["Querystring"]): {
  page: number;
  per_page: number;
  offset: number;
} {
  return { page: Number(page), per_page: Number(per_page), offset: (Number(page) - 1) * Number(per_page) };
}

app.get<Place>("/:company/users/:id", async (request, reply) => {
  const { rows } = await pool.query<UserRow & { custom_user_field_data: object[] }>({
    name: "user",
    text: `select ${userFields},
        coalesce((
          select json_agg(json_build_object(
            'id', v.id, 'custom_user_field_id', v.custom_user_field_id, 'name', f.name, 'value', v.value
          ) order by v.id)
          from custom_user_field_values v
          join custom_user_fields f on f.company_id = v.company_id and f.id = v.custom_user_field_id
          where v.company_id = u.company_id and v.user_id = u.id
        ), '[]') as custom_user_field_data
      from users u join roles r on r.company_id = u.company_id and r.id = u.role_id
      where u.company_id = $1 and u.id = $2`,
    values: [request.params.company, request.params.id],
  });
  const [row] = rows;
  if (row === undefined) return reply.code(404).send();
  return send(reply, {
    ...toUser(row),
    type: "user",
    custom_user_field_data: row.custom_user_field_data,
  });
});

app.get<Listing>("/:company/users", async (request, reply) => {
  const { page, per_page, offset } = readPage(request.query);
  const { rows } = await pool.query<UserRow & { total: number }>({
    name: "users",
    text: `select ${userFields},
        (select total from counters where company_id = $1 and kind = 'users') as total
      from users u join roles r on r.company_id = u.company_id and r.id = u.role_id
      where u.company_id = $1 order by u.id desc limit $2 offset $3`,
    values: [request.params.company, per_page, offset],
  });
  const total = rows[0]?.total ?? 0;
  const users = rows.map(toUser);
  const envelope = { total_users: total, total_pages: Math.ceil(total / per_page), page, per_page };
  return send(reply, { type: "users", ...envelope, users });
});

app.get<Listing>("/:company/users-in-full", async (request, reply) => {
  const { page, per_page, offset } = readPage(request.query);
  const { rows } = await pool.query<
    UserRow & {
      total: number;
      custom: object[];
      member: object[];
      manager: object[];
      mobile_phone_number: string;
    }
  >({
    name: "users-in-full",
    text: `select ${userFields}, u.mobile_phone_number,
        (select total from counters where company_id = $1 and kind = 'users') as total,
        coalesce((
          select json_agg(json_build_object(
            'id', v.id, 'custom_user_field_id', v.custom_user_field_id, 'name', f.name, 'value', v.value
          ) order by v.id)
          from custom_user_field_values v
          join custom_user_fields f on f.company_id = v.company_id and f.id = v.custom_user_field_id
          where v.company_id = u.company_id and v.user_id = u.id
        ), '[]') as custom,
        ${groupsOf("member")} as member, ${groupsOf("manager")} as manager
      from users u join roles r on r.company_id = u.company_id and r.id = u.role_id
      where u.company_id = $1 order by u.id desc limit $2 offset $3`,
    values: [request.params.company, per_page, offset],
  });
  const total = rows[0]?.total ?? 0;
  const users = rows.map((row) =>
    Object.assign(toUser(row), {
      custom_user_field_data: row.custom,
      mobile_phone_number: row.mobile_phone_number,
      groups: { member: row.member, manager: row.manager },
    }),
  );
  const envelope = { total_users: total, total_pages: Math.ceil(total / per_page), page, per_page };
  return send(reply, { type: "users", ...envelope, users });
});

function groupsOf(role: string): string {
  return `coalesce((
    select json_agg(json_build_object('id', g.id, 'name', g.name) order by g.id desc)
    from memberships m join groups g on g.company_id = m.company_id and g.id = m.group_id
    where m.company_id = u.company_id and m.user_id = u.id and m.role = '${role}'
  ), '[]')`;
}

app.get<Listing>("/:company/assignments", async (request, reply) => {
  const { page, per_page, offset } = readPage(request.query);
  const { rows } = await pool.query<AssignmentRow & { total: number }>({
    name: "assignments",
    text: `select ${assignmentFields},
        (select total from counters where company_id = $1 and kind = 'assignments') as total
      from assignments a join users u on u.company_id = a.company_id and u.id = a.assignee_id
      where a.company_id = $1 order by a.id limit $2 offset $3`,
    values: [request.params.company, per_page, offset],
  });
  const total = rows[0]?.total ?? 0;
  const assignments = rows.map(toAssignment);
  const envelope = { total_assignments: total, total_pages: Math.ceil(total / per_page), page, per_page };
  return send(reply, { type: "assignments", ...envelope, assignments });
});

app.get<Listing>("/:company/path-assignments", async (request, reply) => {
  const { page, per_page, offset } = readPage(request.query);
  const { rows } = await pool.query<
    AssignmentRow & { total: number; contents: object[]; is_certification: boolean }
  >({
    name: "path-assignments",
    text: `select ${assignmentFields}, p.is_certification, ${contentsOf("p.id", NESTED_LEVELS)} as contents,
        (select total from counters where company_id = $1 and kind = 'assignments') as total
      from assignments a
      join users u on u.company_id = a.company_id and u.id = a.assignee_id
      join paths p on p.company_id = a.company_id and p.id = a.assignable_id
      where a.company_id = $1 order by a.id limit $2 offset $3`,
    values: [request.params.company, per_page, offset],
  });
  const total = rows[0]?.total ?? 0;
  const assignments = rows.map((row) =>
    Object.assign(toAssignment(row), { contents: row.contents, is_certification: row.is_certification }),
  );
  const envelope = { total_assignments: total, total_pages: Math.ceil(total / per_page), page, per_page };
  return send(reply, { type: "assignments", ...envelope, assignments });
});

interface Assigning extends Place {
  Body: { assignments: { assignee_id: number; due_by: string }[] };
}

let lastId = 0;
app.put<Assigning>("/:company/lessons/:id/assignments", async (request, reply) => {
  const { assignments } = request.body;
  lastId += assignments.length;
  const first = lastId - assignments.length + 1;
  const { rows } = await pool.query<AssignmentRow>({
    name: "assign",
    text: `insert into assignments
        (company_id, id, assignee_id, assignable_type, assignable_id, assigned_at, due_by, updated_at, status)
      select $1, id, assignee_id, 'Lesson', $2, now(), due_by, now(), 'Incomplete'
      from unnest($3::bigint[], $4::bigint[], $5::timestamptz[]) as new (id, assignee_id, due_by)
      returning *`,
    values: [
      request.params.company,
      request.params.id,
      assignments.map((_, index) => first + index),
      assignments.map(({ assignee_id }) => assignee_id),
      assignments.map(({ due_by }) => due_by),
    ],
  });
  return send(reply, { type: "update_lesson_assignments", assignments: rows.map(toAssignment) });
});

registerBareV2(app, pool);

console.log(`port ${new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port}`);
