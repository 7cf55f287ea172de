import { sql } from "kysely";
import { jobDoneMail } from "../../bulk/mail-job-done.ts";
import type { Tx } from "../../db/db.ts";
import { utcTime } from "../../time.ts";
import { endpointFailingMail } from "../../webhooks/mail-endpoint-failing.ts";
import { withoutQuery } from "../../webhooks/show.ts";
import { DISABLED_BY_HAND } from "../../webhooks/stored.ts";
import { maySee, WEBHOOKS } from "../administrators.ts";
import { formatDate } from "../rendering/format.ts";
import { factNumber, type Teller, teller } from "./telling.ts";

/** Tells administrators of webhooks that fail, and of bulk jobs that have ended. */
export const administratorTellers: readonly Teller[] = [
  teller(endpointFailingMail, async (tx, notices, { user_id, locale, time_zone }) => {
    if (!(await maySee(tx, user_id, WEBHOOKS))) return [];
    const failing = await selectFailing(
      tx,
      notices.map((notice) => factNumber(notice, "webhook_id")),
    );
    return notices.flatMap((notice) => {
      const id = factNumber(notice, "webhook_id");
      const endpoint = failing.get(id);
      if (endpoint === undefined) return [];
      const since = formatDate(locale, time_zone, endpoint.since);
      const { description, reason, is_disabled } = endpoint;
      const address = withoutQuery(endpoint.url);
      const name = description === "" ? address : `${description} (${address})`;
      const facts = { address, name, since, reason, is_disabled };
      return [
        { key: notice.key, facts, url: `${tx.company.base_url}/settings/webhooks/${id}`, about: String(id) },
      ];
    });
  }),
  teller(jobDoneMail, async (tx, notices) => {
    const jobs = await selectJobs(
      tx,
      notices.map((notice) => factNumber(notice, "job_id")),
    );
    return notices.flatMap((notice) => {
      const id = factNumber(notice, "job_id");
      const facts = jobs.get(id);
      if (facts === undefined) return [];
      return [{ key: notice.key, facts, url: `${tx.company.base_url}/jobs/${id}`, about: String(id) }];
    });
  }),
];

interface Failing {
  readonly id: number;
  readonly url: string;
  readonly description: string;
  readonly is_disabled: boolean;
  readonly since: string;
  readonly reason: string;
}

/** The endpoints that still fail, or that their receivers have disabled. What a person has disabled they know. */
async function selectFailing(tx: Tx, ids: readonly number[]): Promise<Map<number, Failing>> {
  const company_id = tx.company.id;
  const { rows } = await sql<Failing>`
    select endpoint.id, endpoint.url, endpoint.description, not endpoint.is_enabled as is_disabled,
      case when endpoint.is_enabled then coalesce(endpoint.unheard_since, endpoint.failing_since)
        else endpoint.disabled_at end as since,
      coalesce(nullif(endpoint.disabled_reason, ${DISABLED_BY_HAND}), last.reason, '') as reason
    from webhook_endpoints endpoint
    left join lateral (
      select reason from webhook_attempts
      where company_id = ${company_id} and endpoint_id = endpoint.id and reason is not null
      order by event_id desc, number desc limit 1
    ) last on true
    where endpoint.company_id = ${company_id} and endpoint.id = any(${ids}::bigint[]) and endpoint.url is not null
      and endpoint.deleted_at is null
      and (endpoint.is_enabled and endpoint.failing_since is not null
        or not endpoint.is_enabled and endpoint.disabled_reason <> ${DISABLED_BY_HAND})`.execute(tx.sql);
  return new Map(rows.map((row) => [row.id, { ...row, since: utcTime(row.since) }]));
}

interface Job {
  readonly id: number;
  readonly rows: number;
  readonly done: number;
  readonly failed: number;
  readonly left: number;
}

async function selectJobs(tx: Tx, ids: readonly number[]): Promise<Map<number, Omit<Job, "id">>> {
  const company_id = tx.company.id;
  const { rows } = await sql<Job>`
    select job.id, job.total as rows,
      (select count(*) from bulk_rows
       where company_id = ${company_id} and job_id = job.id and outcome <> 'refused') as done,
      (select count(*) from bulk_rows
       where company_id = ${company_id} and job_id = job.id and outcome = 'refused') as failed,
      (select count(*) from bulk_rows
       where company_id = ${company_id} and job_id = job.id and outcome is null) as "left"
    from bulk_jobs job
    where job.company_id = ${company_id} and job.id = any(${ids}::bigint[])`.execute(tx.sql);
  return new Map(rows.map(({ id, ...job }) => [id, job]));
}
