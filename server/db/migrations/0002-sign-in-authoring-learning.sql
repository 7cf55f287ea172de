-- People sign in, write lessons, take them and are graded.
--
-- Additions alone, so that the version before runs on beside this one: new columns may be null or have a default.

-- People ------------------------------------------------------------------------------------------------------------

-- A role's privileges, such as `lessons.write:own`; null for the built-in roles, whose privileges the code knows.
alter table roles add column privileges text[];

-- What a key may do; null for everything, which keys of the command line are for.
alter table api_keys add column privileges text[];
alter table api_keys add column expires_at timestamptz;

alter table audit_log add column address text;
create index audit_log_actor_idx on audit_log (company_id, actor_type, actor_id, at);

-- anonymized_at: the person is gone, the team's evidence stays under this row.
alter table users add column anonymized_at timestamptz;
alter table users add column last_sign_in_at timestamptz;

-- Who is signed in: only the SHA-256 of the token is stored.
create table sessions (
  company_id bigint not null,
  id bigint not null,
  hash bytea not null,
  user_id bigint not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  address text,
  user_agent text,
  constraint sessions_pkey primary key (company_id, id),
  constraint sessions_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint sessions_hash_check check (octet_length(hash) = 32)
);
create unique index sessions_hash_idx on sessions (company_id, hash);
create index sessions_user_id_idx on sessions (company_id, user_id);
create index sessions_expires_at_idx on sessions (company_id, expires_at);

-- An invitation or a reset that was asked for. Who delivers it (the mailer, a command) makes the token then, and stores
-- its hash: the token itself is nowhere.
create table sign_in_links (
  company_id bigint not null,
  id bigint not null,
  kind text not null,
  user_id bigint not null,
  asked_at timestamptz not null,
  hash bytea,
  expires_at timestamptz,
  used_at timestamptz,
  constraint sign_in_links_pkey primary key (company_id, id),
  constraint sign_in_links_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint sign_in_links_kind_check check (kind in ('invitation', 'reset')),
  constraint sign_in_links_hash_check check (octet_length(hash) = 32)
);
create unique index sign_in_links_hash_idx on sign_in_links (company_id, hash);
create index sign_in_links_user_id_idx on sign_in_links (company_id, user_id);

-- Single sign-on with OpenID Connect: one provider for each company. The client's secret is sealed.
create table identity_providers (
  company_id bigint not null,
  issuer text not null,
  client_id text not null,
  client_secret text,
  makes_users boolean not null,
  new_user_role_id bigint not null,
  allows_passwords boolean not null,
  updated_at timestamptz not null,
  constraint identity_providers_pkey primary key (company_id),
  constraint identity_providers_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint identity_providers_role_id_fkey foreign key (company_id, new_user_role_id) references roles (company_id, id)
);

-- The answer of a write that came with an Idempotency-Key, sealed under that key, of which only a hash is stored.
create table idempotency_keys (
  company_id bigint not null,
  caller text not null,
  hash bytea not null,
  fingerprint bytea not null,
  answer bytea,
  created_at timestamptz not null,
  constraint idempotency_keys_pkey primary key (company_id, caller, hash),
  constraint idempotency_keys_company_id_fkey foreign key (company_id) references companies (company_id)
);
create index idempotency_keys_created_at_idx on idempotency_keys (company_id, created_at);

-- Groups ------------------------------------------------------------------------------------------------------------

-- rule: conditions over profile fields that fill the group, null for a group that people fill. rule_error says why a
-- rule is not applied any more.
alter table groups add column rule jsonb;
alter table groups add column rule_error text;
-- Who is a member by the rule leaves by the rule; who was added by hand stays.
alter table memberships add column by_rule boolean not null default false;
-- Due so many days after joining.
alter table group_assignments add column due_days integer;
alter table group_assignments add constraint group_assignments_due_days_check check (due_days between 0 and 3650);

-- Lessons -----------------------------------------------------------------------------------------------------------

-- What people take is the version `published_version`; null for a lesson that was never published here.
alter table lessons add column owner_id bigint;
alter table lessons add column language text not null default 'en';
alter table lessons add column published_version integer;
alter table lessons add constraint lessons_owner_id_fkey foreign key (company_id, owner_id) references users (company_id, id);
alter table lessons add constraint lessons_language_check check (
  language in ('ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pt', 'ru', 'sv', 'zh-CN')
);
create index lessons_owner_id_idx on lessons (company_id, owner_id);

-- What authors work on. `based_on` is the version that the draft began with.
create table lesson_drafts (
  company_id bigint not null,
  lesson_id bigint not null,
  title text not null,
  description text,
  language text not null,
  retake_score integer not null,
  public boolean not null,
  content jsonb not null,
  based_on integer,
  updated_at timestamptz not null,
  updated_by bigint,
  constraint lesson_drafts_pkey primary key (company_id, lesson_id),
  constraint lesson_drafts_lesson_id_fkey foreign key (company_id, lesson_id) references lessons (company_id, id),
  constraint lesson_drafts_title_check check (char_length(title) between 1 and 1000),
  constraint lesson_drafts_description_check check (char_length(description) <= 100000),
  constraint lesson_drafts_retake_score_check check (retake_score between 0 and 100)
);

-- What was published, for ever.
create table lesson_versions (
  company_id bigint not null,
  lesson_id bigint not null,
  number integer not null,
  title text not null,
  description text,
  language text not null,
  retake_score integer not null,
  content jsonb not null,
  note text,
  diff jsonb not null,
  published_at timestamptz not null,
  published_by bigint,
  constraint lesson_versions_pkey primary key (company_id, lesson_id, number),
  constraint lesson_versions_lesson_id_fkey foreign key (company_id, lesson_id) references lessons (company_id, id),
  constraint lesson_versions_number_check check (number > 0)
);

-- With whom an owner shares a lesson or a path.
create table content_authors (
  company_id bigint not null,
  content_type text not null,
  content_id bigint not null,
  user_id bigint not null,
  constraint content_authors_pkey primary key (company_id, content_type, content_id, user_id),
  constraint content_authors_content_fkey foreign key (company_id, content_type, content_id)
    references assignables (company_id, assignable_type, assignable_id),
  constraint content_authors_user_id_fkey foreign key (company_id, user_id) references users (company_id, id)
);
create index content_authors_user_id_idx on content_authors (company_id, user_id);

-- The words of what is published, for the search.
create table search_documents (
  company_id bigint not null,
  content_type text not null,
  content_id bigint not null,
  language text not null,
  words tsvector not null,
  constraint search_documents_pkey primary key (company_id, content_type, content_id),
  constraint search_documents_content_fkey foreign key (company_id, content_type, content_id)
    references assignables (company_id, assignable_type, assignable_id)
);

-- Paths -------------------------------------------------------------------------------------------------------------

-- counts_elsewhere: a lesson that was completed outside the path counts in it.
-- A certificate is valid for a number of months, or until a day of the year (MM-DD); neither: for ever.
alter table paths add column owner_id bigint;
alter table paths add column published_version integer;
alter table paths add column counts_elsewhere boolean not null default true;
alter table paths add column valid_months integer;
alter table paths add column valid_until_day text;
alter table paths add column renewal_days integer not null default 30;
alter table paths add constraint paths_owner_id_fkey foreign key (company_id, owner_id) references users (company_id, id);
alter table paths add constraint paths_valid_months_check check (valid_months between 1 and 1200);
alter table paths add constraint paths_valid_until_day_check check (valid_until_day ~ '^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$');
alter table paths add constraint paths_validity_check check (num_nonnulls(valid_months, valid_until_day) <= 1);
alter table paths add constraint paths_renewal_days_check check (renewal_days between 0 and 365);
create index paths_owner_id_idx on paths (company_id, owner_id);

-- The day that a wait step waits for, where its condition is `date`.
alter table path_items add column wait_until date;

-- What authors work on: `settings` has the columns of paths that people edit, `contents` the steps as version 2 shows them.
create table path_drafts (
  company_id bigint not null,
  path_id bigint not null,
  settings jsonb not null,
  contents jsonb not null,
  based_on integer,
  updated_at timestamptz not null,
  updated_by bigint,
  constraint path_drafts_pkey primary key (company_id, path_id),
  constraint path_drafts_path_id_fkey foreign key (company_id, path_id) references paths (company_id, id)
);

create table path_versions (
  company_id bigint not null,
  path_id bigint not null,
  number integer not null,
  settings jsonb not null,
  contents jsonb not null,
  note text,
  diff jsonb not null,
  published_at timestamptz not null,
  published_by bigint,
  constraint path_versions_pkey primary key (company_id, path_id, number),
  constraint path_versions_path_id_fkey foreign key (company_id, path_id) references paths (company_id, id),
  constraint path_versions_number_check check (number > 0)
);

-- Learning ----------------------------------------------------------------------------------------------------------

-- One go at one version of a lesson by one learner. It was begun in an assignment (of the lesson, or of a path or course that has
-- it), or, where assignment_id is null, from the library. The assignment may be gone since; what was learned stays.
-- A learner has at most one open attempt at a lesson.
create table attempts (
  company_id bigint not null,
  id bigint not null,
  user_id bigint not null,
  lesson_id bigint not null,
  version integer not null,
  assignment_id bigint,
  round integer not null,
  status text not null,
  score integer,
  page_id text,
  seconds_spent integer not null,
  last_active_at timestamptz not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  graded_at timestamptz,
  constraint attempts_pkey primary key (company_id, id),
  constraint attempts_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint attempts_version_fkey foreign key (company_id, lesson_id, version)
    references lesson_versions (company_id, lesson_id, number),
  constraint attempts_status_check check (status in ('open', 'grade_pending', 'completed', 'failed', 'ended')),
  constraint attempts_finished_at_check check ((status = 'open') = (finished_at is null)),
  constraint attempts_score_check check (score between 0 and 100),
  constraint attempts_seconds_spent_check check (seconds_spent >= 0)
);
create unique index attempts_open_idx on attempts (company_id, user_id, lesson_id) where status in ('open', 'grade_pending');
create index attempts_user_id_idx on attempts (company_id, user_id, lesson_id, id);
create index attempts_lesson_id_idx on attempts (company_id, lesson_id, version, status);
create index attempts_assignment_id_idx on attempts (company_id, assignment_id);
create index attempts_pending_idx on attempts (company_id, finished_at, id) where status = 'grade_pending';

-- Each answer as it is given: `revision` counts how often it was. points are hundredths of what the question can give
-- (0 to 10000), null until somebody or something has graded it. is_final: the learner has been told the right answer.
create table attempt_answers (
  company_id bigint not null,
  attempt_id bigint not null,
  question_id text not null,
  answer jsonb not null,
  revision integer not null,
  is_final boolean not null,
  saved_at timestamptz not null,
  points integer,
  rubric jsonb,
  comment text,
  graded_by bigint,
  graded_at timestamptz,
  claimed_by bigint,
  claimed_until timestamptz,
  constraint attempt_answers_pkey primary key (company_id, attempt_id, question_id),
  constraint attempt_answers_attempt_id_fkey foreign key (company_id, attempt_id) references attempts (company_id, id),
  constraint attempt_answers_points_check check (points between 0 and 10000)
);

-- A certificate names its holder and its path as they were. It is found in public by its number, which names the company.
create table certificates (
  company_id bigint not null,
  id bigint not null,
  number text not null,
  user_id bigint not null,
  path_id bigint not null,
  assignment_id bigint not null,
  user_name text not null,
  path_title text not null,
  issued_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  renewal_opened_at timestamptz,
  constraint certificates_pkey primary key (company_id, id),
  constraint certificates_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint certificates_path_id_fkey foreign key (company_id, path_id) references paths (company_id, id)
);
create unique index certificates_number_idx on certificates (company_id, number);
create index certificates_user_id_idx on certificates (company_id, user_id);
create index certificates_path_id_idx on certificates (company_id, path_id);
create index certificates_expires_at_idx on certificates (company_id, expires_at);

-- Bulk work ---------------------------------------------------------------------------------------------------------

create table bulk_jobs (
  company_id bigint not null,
  id bigint not null,
  kind text not null,
  mode text not null,
  dry_run boolean not null,
  status text not null,
  total integer not null,
  done integer not null,
  actor jsonb not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  cancelled_at timestamptz,
  message text,
  constraint bulk_jobs_pkey primary key (company_id, id),
  constraint bulk_jobs_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint bulk_jobs_kind_check check (kind in ('users', 'memberships', 'assignments')),
  constraint bulk_jobs_mode_check check (mode in ('all_or_nothing', 'row_by_row')),
  constraint bulk_jobs_status_check check (status in ('waiting', 'running', 'done', 'refused', 'cancelled'))
);
create index bulk_jobs_waiting_idx on bulk_jobs (company_id, id) where status in ('waiting', 'running');

create table bulk_rows (
  company_id bigint not null,
  job_id bigint not null,
  row integer not null,
  given jsonb not null,
  outcome text,
  resource_id bigint,
  errors jsonb,
  constraint bulk_rows_pkey primary key (company_id, job_id, row),
  constraint bulk_rows_job_id_fkey foreign key (company_id, job_id) references bulk_jobs (company_id, id),
  constraint bulk_rows_outcome_check check (outcome in ('created', 'updated', 'unchanged', 'refused'))
);

-- The counters of the new kinds, for the companies that are there. The owner passes the wall for as long as it takes.
alter table companies no force row level security;
alter table counters no force row level security;
insert into counters (company_id, kind, last_id, total, moved_at)
select company_id, kind, 0, 0, now()
from companies cross join unnest(array['attempts', 'bulk_jobs', 'certificates', 'sessions', 'sign_in_links']) as kind
on conflict (company_id, kind) do nothing;
alter table companies force row level security;
alter table counters force row level security;

do $$
declare
  name text;
begin
  foreach name in array array[
    'sessions', 'sign_in_links', 'identity_providers', 'idempotency_keys', 'lesson_drafts', 'lesson_versions',
    'content_authors', 'search_documents', 'path_drafts', 'path_versions', 'attempts', 'attempt_answers',
    'certificates', 'bulk_jobs', 'bulk_rows'
  ] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy of_its_company on %I using (company_id = nullif(current_setting(''app.company_id'', true), '''')::bigint)',
      name
    );
  end loop;
end
$$;

grant select, insert, update, delete on
  sessions, sign_in_links, identity_providers, idempotency_keys, lesson_drafts, lesson_versions, content_authors,
  search_documents, path_drafts, path_versions, attempts, attempt_answers, certificates, bulk_jobs, bulk_rows
to lectern_app;
