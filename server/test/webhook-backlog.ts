import type pg from "pg";

/** What deliveries wait for whom. */
export interface Backlog {
  readonly company_id: number;
  readonly endpoint_id: number;
  readonly count: number;
}

const DATA = {
  event: "lesson.completed",
  user: { ext_uid: null, id: 2, name: "Load", email: "load@load.example.com", custom_fields: {} },
  lesson: { id: 1, title: "Load", retake_score: 0 },
  score: 1,
  score_percent: 100,
};
/** Jobs that one statement adds. */
const JOBS_AT_ONCE = 50_000;

/**
 * Puts events into a company's feed, with a delivery of each for one of its webhooks, which is due at once. Those of
 * an earlier call are used again.
 * @param client one that signs in as the owner, in a transaction unless the webhook is disabled: the worker makes
 *   deliveries of new events too.
 */
export async function fillDue(client: pg.Client, { company_id, endpoint_id, count }: Backlog): Promise<void> {
  await addEvents(client, company_id, count);
  await client.query(
    `insert into webhook_deliveries (company_id, endpoint_id, event_id, occurred_at, status, tries, attempts, due_at)
     select company_id, $2, id, occurred_at, 'waiting', 0, 0, now() from events
     where company_id = $1 and type = 'lesson.completed' order by id limit $3
     returning event_id`,
    [company_id, endpoint_id, count],
  );
  await client.query(
    `update webhook_endpoints set position = (
       select last_id from counters where company_id = $1 and kind = 'events'
     ) where company_id = $1 and id = $2`,
    [company_id, endpoint_id],
  );
}

/** Adds as many completions to a company's feed as it lacks. */
async function addEvents(client: pg.Client, company_id: number, count: number): Promise<void> {
  const { rows } = await client.query<{ last_id: string; known: string }>(
    `select last_id, (select count(*) from events where company_id = $1 and type = 'lesson.completed') as known
     from counters where company_id = $1 and kind = 'events' for update`,
    [company_id],
  );
  const last = Number(rows[0]?.last_id);
  const missing = count - Number(rows[0]?.known);
  if (missing <= 0) return;
  await client.query(
    `insert into events (company_id, id, occurred_at, type, resource_id, user_id, notify, data)
     select $1, id, now(), 'lesson.completed', 1, 2, false, $4 from generate_series($2::bigint, $3::bigint) as made (id)
     returning id`,
    [company_id, last + 1, last + missing, JSON.stringify(DATA)],
  );
  await client.query("update counters set last_id = last_id + $2 where company_id = $1 and kind = 'events'", [
    company_id,
    missing,
  ]);
}

/** Puts deliveries that have failed before and are due in some hours; no event of so long ago has to be kept for them. */
export async function fillLater(
  client: pg.Client,
  { company_id, endpoint_id, count }: Backlog,
): Promise<void> {
  await client.query(
    `insert into webhook_deliveries (company_id, endpoint_id, event_id, occurred_at, status, tries, attempts, due_at)
     select $1, $2, 1000000000 + id, now(), 'waiting', 5, 5, now() + interval '2 hours' + id * interval '10 milliseconds'
     from generate_series(1, $3::integer) as made (id)
     returning event_id`,
    [company_id, endpoint_id, count],
  );
}

/** Adds jobs to the worker's queue. @param dueIn an interval, such as `2 hours`. */
export async function fillJobs(
  client: pg.Client,
  { task, count, dueIn }: { readonly task: string; readonly count: number; readonly dueIn: string },
): Promise<void> {
  for (let added = 0; added < count; added += JOBS_AT_ONCE) {
    await client.query(
      `select count(*) from graphile_worker.add_jobs(array(
         select json_populate_record(null::graphile_worker.job_spec, json_build_object(
           'identifier', $1::text, 'payload', json_build_object('company_id', id), 'run_at', now() + $2::interval
         ))
         from generate_series(1, $3::integer) as made (id)
       ))`,
      [task, dueIn, Math.min(JOBS_AT_ONCE, count - added)],
    );
  }
}
