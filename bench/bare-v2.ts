import type { FastifyInstance } from "fastify";
import type { Pool } from "pg";
import { encodeCursor } from "../server/http/cursor.ts";
import { send, toTime, userFields, type UserRow } from "./bare-rows.ts";
import { saveAnswer } from "./bare-answers.ts";
import { finishAttempt } from "./bare-finish.ts";
import { listMine } from "./bare-mine.ts";
import { registerBareReports } from "./bare-reports.ts";

/** What a page of version 2 has, unless it is asked for otherwise. */
const PAGE = 50;

interface Place {
  Params: { company: string; user: string; attempt: string; question: string };
  Querystring: { below: string };
  Body: { answer: object };
}

/** The other side of what is asked of version 2. */
export function registerBareV2(app: FastifyInstance, pool: Pool): void {
  app.get<Place>("/:company/profiles", async ({ params, query }, reply) =>
    send(reply, await listProfiles(pool, params.company, query.below)),
  );
  app.get<Place>("/:company/mine/:user", async ({ params }, reply) =>
    send(reply, await listMine(pool, params.company, params.user)),
  );
  app.put<Place>("/:company/attempts/:attempt/answers/:question", async ({ params, body }, reply) =>
    send(reply, await saveAnswer(pool, params, body.answer)),
  );
  app.post<Place>("/:company/attempts/:attempt/finish", async ({ params }, reply) =>
    send(reply, await finishAttempt(pool, params.company, params.attempt)),
  );
  registerBareReports(app, pool);
}

interface ProfileRow extends UserRow {
  readonly sso_id: string | null;
  readonly mobile_phone_number: string | null;
  readonly created_at: string;
  readonly anonymized_at: string | null;
  readonly last_sign_in_at: string | null;
}

async function listProfiles(pool: Pool, company: string, below: string): Promise<object> {
  const { rows } = await pool.query<ProfileRow>({
    name: "profiles",
    text: `select ${userFields}, u.sso_id, u.mobile_phone_number, u.created_at, u.anonymized_at, u.last_sign_in_at
      from users u join roles r on r.company_id = u.company_id and r.id = u.role_id
      where u.company_id = $1 and u.id < $2 order by u.id desc limit $3`,
    values: [company, below, PAGE + 1],
  });
  const shown = rows.slice(0, PAGE);
  const last = shown.at(-1);
  return { data: shown.map(toProfile), next: rows.length > PAGE && last ? encodeCursor([last.id]) : null };
}

function toProfile(row: ProfileRow): object {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    role_id: row.role_id,
    role: row.role,
    ext_uid: row.ext_uid,
    sso_id: row.sso_id,
    job_title: row.job_title,
    business_unit: row.business_unit,
    department: row.department,
    location: row.location,
    locale: row.locale,
    hire_date: row.hire_date,
    manager_name: row.manager_name,
    mobile_phone_number: row.mobile_phone_number,
    created_at: toTime(row.created_at),
    archived_at: toTime(row.archived_at),
    archived_by_user_id: row.archived_by_user_id,
    anonymized_at: toTime(row.anonymized_at),
    last_sign_in_at: toTime(row.last_sign_in_at),
  };
}
