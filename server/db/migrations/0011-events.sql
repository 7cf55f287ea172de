-- What has happened in a company, in the order that it was committed: the change feed, and what webhooks and mails are
-- made of. A transaction takes the ids of its events from the counter `events` as the last thing that it does, and holds
-- that row until it commits, so a reader who goes on after the largest id it has seen misses none.

-- Partitioned by time, so that forgetting costs nothing: a month is dropped as a whole. What the clock may say beyond
-- the partitions that are open goes into the default one. No reference to companies: each row would look it up. JSON as
-- text, which was JSON.stringify's: checking it again costs a sixth of the writing.
create table events (
  company_id bigint not null,
  id bigint not null,
  occurred_at timestamptz not null,
  type text not null,
  resource_id bigint,
  user_id bigint,
  data text not null,
  previous text,
  notify boolean not null,
  constraint events_pkey primary key (company_id, id, occurred_at),
  constraint events_id_check check (id between 1 and 9007199254740990)
) partition by range (occurred_at);
create table events_default partition of events default;

alter table events enable row level security;
alter table events force row level security;
create policy of_its_company on events
  using (company_id = nullif(current_setting('app.company_id', true), '')::bigint);
alter table events_default enable row level security;
alter table events_default force row level security;
create policy of_its_company on events_default
  using (company_id = nullif(current_setting('app.company_id', true), '')::bigint);
grant select, insert, update, delete on events to lectern_app;

-- Opens the partitions of a month and of those that follow. One whose rows lie in the default partition already stays
-- there. The partitions have the wall too, though nobody but the owner can reach them by name.
create function open_event_partitions(first date, months integer) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  month date;
  name text;
begin
  for step in 0 .. months - 1 loop
    month := date_trunc('month', first)::date + step * interval '1 month';
    name := 'events_' || to_char(month, 'YYYY_MM');
    continue when to_regclass(name) is not null;
    begin
      execute format(
        'create table %I partition of events for values from (%L) to (%L)',
        name, month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC'
      );
      execute format('alter table %I enable row level security', name);
      execute format('alter table %I force row level security', name);
      execute format(
        'create policy of_its_company on %I using (company_id = nullif(current_setting(''app.company_id'', true), '''')::bigint)',
        name
      );
    exception
      when check_violation or duplicate_table then null;
    end;
  end loop;
end
$$;
revoke execute on function open_event_partitions(date, integer) from public;
select open_event_partitions(current_date, 3);

-- Which assignments were told to be overdue, for which due date: once each.
create table overdue_notices (
  company_id bigint not null,
  assignment_id bigint not null,
  due_on date not null,
  constraint overdue_notices_pkey primary key (company_id, assignment_id, due_on),
  constraint overdue_notices_company_id_fkey foreign key (company_id) references companies (company_id)
);
alter table overdue_notices enable row level security;
alter table overdue_notices force row level security;
create policy of_its_company on overdue_notices
  using (company_id = nullif(current_setting('app.company_id', true), '')::bigint);
grant select, insert, update, delete on overdue_notices to lectern_app;

-- Up to which day what fell due was told to be overdue; null until the first look, which tells nothing of the past.
alter table companies add column overdue_through date;
-- What can still become overdue, by the day.
create index assignments_due_by_idx on assignments (company_id, due_by, id) where status = 'Incomplete' and due_by is not null;

alter table companies no force row level security;
alter table counters no force row level security;
insert into counters (company_id, kind, last_id, total, moved_at)
select company_id, 'events', 0, 0, now() from companies
on conflict (company_id, kind) do nothing;
alter table companies force row level security;
alter table counters force row level security;
