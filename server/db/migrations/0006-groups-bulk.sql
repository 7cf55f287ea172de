-- Groups that assign by a date, groups that rules fill, and bulk work that survives its process.

-- Due on a day, or so many days after joining, or never.
alter table group_assignments add column due_by timestamptz;
alter table group_assignments add constraint group_assignments_due_check check (num_nonnulls(due_days, due_by) <= 1);
alter table group_assignments add constraint group_assignments_due_by_check check (
  due_by >= '0001-01-01 00:00:00+00' and due_by < '10000-01-01 00:00:00+00'
);

create index groups_rule_idx on groups (company_id, id) where rule is not null;

-- How often work on a job was begun: one that fails each time is given up.
alter table bulk_jobs add column tries integer not null default 0;
alter table bulk_rows drop constraint bulk_rows_outcome_check;
alter table bulk_rows add constraint bulk_rows_outcome_check check (
  outcome in ('created', 'updated', 'removed', 'unchanged', 'refused')
);
create index bulk_rows_open_idx on bulk_rows (company_id, job_id, row) where outcome is null;

-- The total is how many groups have a rule. Whoever changes users locks this row before all others, and so knows
-- whether people may move in or out of groups before it locks what that takes. Its name sorts before the others.
alter table companies no force row level security;
alter table counters no force row level security;
insert into counters (company_id, kind, last_id, total, moved_at)
select company_id, 'active_rules', 0, 0, now() from companies
on conflict (company_id, kind) do nothing;
alter table companies force row level security;
alter table counters force row level security;

-- Wakes the worker for what a row of a company's own table says is to be done. It never fails: where no worker has ever
-- run, or its tables lie elsewhere, a sweep finds the row. The worker's tables are the owner's, hence this function.
create function wake_worker(task text, payload json, key text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform graphile_worker.add_job(task, payload, job_key => key);
exception
  when others then null;
end
$$;
revoke execute on function wake_worker(text, json, text) from public;
grant execute on function wake_worker(text, json, text) to lectern_app;
