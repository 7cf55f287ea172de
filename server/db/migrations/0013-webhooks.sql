-- Webhooks: to whom events are sent, what is to be sent to each, and how each try went.

-- One for each address. The contract's own (kind `lesson_completed`) has no address while the company has none set.
-- What is secret is sealed by the service; `plain_authorization` is what the former version kept readable, until the
-- service has sealed it. `position` is the last event that deliveries were made of.
create table webhook_endpoints (
  company_id bigint not null,
  id bigint not null,
  kind text not null,
  url text,
  description text not null,
  types text[] not null,
  secret text,
  previous_secret text,
  previous_secret_until timestamptz,
  headers text,
  plain_authorization text,
  is_enabled boolean not null,
  disabled_reason text,
  disabled_at timestamptz,
  failing_since timestamptz,
  position bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webhook_endpoints_pkey primary key (company_id, id),
  constraint webhook_endpoints_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint webhook_endpoints_id_check check (id between 1 and 9007199254740990),
  constraint webhook_endpoints_kind_check check (kind in ('lesson_completed', 'events')),
  constraint webhook_endpoints_url_check check (url is not null or kind = 'lesson_completed'),
  constraint webhook_endpoints_disabled_check check (is_enabled = (disabled_at is null))
);
create unique index webhook_endpoints_lesson_completed_key on webhook_endpoints (company_id) where kind = 'lesson_completed';

-- One for each event that is for an endpoint. While it waits, `due_at` says when it is tried next; who takes it up moves
-- that a little into the future, so that it comes back by itself where they are killed. `tries` counts since it was
-- last to be sent, `attempts` since ever.
create table webhook_deliveries (
  company_id bigint not null,
  endpoint_id bigint not null,
  event_id bigint not null,
  occurred_at timestamptz not null,
  status text not null,
  tries integer not null,
  attempts integer not null,
  due_at timestamptz,
  delivered_at timestamptz,
  constraint webhook_deliveries_pkey primary key (company_id, endpoint_id, event_id),
  constraint webhook_deliveries_endpoint_fkey foreign key (company_id, endpoint_id) references webhook_endpoints (company_id, id),
  constraint webhook_deliveries_status_check check (status in ('waiting', 'delivered', 'failed')),
  constraint webhook_deliveries_due_at_check check ((status = 'waiting') = (due_at is not null)),
  constraint webhook_deliveries_delivered_at_check check ((status = 'delivered') = (delivered_at is not null))
);
create index webhook_deliveries_due_idx on webhook_deliveries (company_id, endpoint_id, due_at, event_id) where status = 'waiting';
create index webhook_deliveries_failed_idx on webhook_deliveries (company_id, endpoint_id, event_id) where status = 'failed';
create index webhook_deliveries_delivered_idx on webhook_deliveries (company_id, delivered_at) where status = 'delivered';

-- How each try went. No reference to the delivery: it is a log.
create table webhook_attempts (
  company_id bigint not null,
  endpoint_id bigint not null,
  event_id bigint not null,
  number integer not null,
  attempted_at timestamptz not null,
  status integer,
  duration_ms integer not null,
  answer text,
  reason text,
  next_try_at timestamptz,
  constraint webhook_attempts_pkey primary key (company_id, endpoint_id, event_id, number)
);
create index webhook_attempts_attempted_at_idx on webhook_attempts (company_id, attempted_at);

alter table webhook_endpoints enable row level security;
alter table webhook_endpoints force row level security;
create policy of_its_company on webhook_endpoints
  using (company_id = nullif(current_setting('app.company_id', true), '')::bigint);
alter table webhook_deliveries enable row level security;
alter table webhook_deliveries force row level security;
create policy of_its_company on webhook_deliveries
  using (company_id = nullif(current_setting('app.company_id', true), '')::bigint);
alter table webhook_attempts enable row level security;
alter table webhook_attempts force row level security;
create policy of_its_company on webhook_attempts
  using (company_id = nullif(current_setting('app.company_id', true), '')::bigint);
grant select, insert, update, delete on webhook_endpoints, webhook_deliveries, webhook_attempts to lectern_app;

-- The webhook that companies have set moves here. A server of the former version still writes the columns of companies
-- while it runs; the sweep takes over what it finds there.
alter table companies no force row level security;
alter table counters no force row level security;
alter table webhook_endpoints no force row level security;
insert into counters (company_id, kind, last_id, total, moved_at)
select company_id, 'webhook_endpoints', has_webhook::int, has_webhook::int, now()
from (
  select company_id,
    lesson_completed_callback_url is not null or lesson_completed_callback_authorization is not null as has_webhook
  from companies
) company
on conflict (company_id, kind) do nothing;
insert into webhook_endpoints (company_id, id, kind, url, description, types, plain_authorization, is_enabled, position,
  created_at, updated_at)
select companies.company_id, 1, 'lesson_completed', lesson_completed_callback_url, '', '{lesson.completed}',
  lesson_completed_callback_authorization, true, counters.last_id, now(), now()
from companies join counters on counters.company_id = companies.company_id and counters.kind = 'events'
where lesson_completed_callback_url is not null or lesson_completed_callback_authorization is not null
on conflict (company_id, id) do nothing;
update companies
set lesson_completed_callback_url = null, lesson_completed_callback_authorization = null
where lesson_completed_callback_url is not null or lesson_completed_callback_authorization is not null;
alter table companies force row level security;
alter table counters force row level security;
alter table webhook_endpoints force row level security;
