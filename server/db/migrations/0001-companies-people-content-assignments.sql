-- The schema of the public API.
--
-- Every table of a company has company_id first in its primary key, its unique constraints, its foreign keys and its
-- indexes, and row-level security behind that. So no reference can cross companies, two companies may hold the same
-- ids, and the schema can be distributed by company_id unchanged. docs/decisions/0002-one-schema.md says more.

-- What must be unique across companies stands in tables of its own. They are no company's tables: nothing refers to
-- them, they refer to nothing, and they hold no more than it takes to find the company.

create sequence company_ids as bigint;

create table subdomains (
  subdomain text not null,
  company bigint not null,
  constraint subdomains_pkey primary key (subdomain),
  constraint subdomains_subdomain_check check (subdomain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$')
);

-- Only the SHA-256 of a key is stored: who reads the database can't call the API.
create table api_key_hashes (
  hash bytea not null,
  company bigint not null,
  api_key_id bigint not null,
  constraint api_key_hashes_pkey primary key (hash),
  constraint api_key_hashes_hash_check check (octet_length(hash) = 32)
);

-- A window of the rate limits, shared by all processes. `granted` is what the last statement took from it, `seen_ms`
-- when that was.
create table rate_windows (
  bucket text not null,
  started_ms bigint not null,
  seen_ms bigint not null,
  used bigint not null,
  granted bigint not null,
  constraint rate_windows_pkey primary key (bucket)
);
create index rate_windows_started_ms_idx on rate_windows (started_ms);

-- One row while the service is in maintenance, none otherwise.
create table maintenance (
  singleton boolean not null,
  since timestamptz not null,
  constraint maintenance_pkey primary key (singleton),
  constraint maintenance_singleton_check check (singleton)
);

create table companies (
  company_id bigint not null,
  subdomain text not null,
  name text not null,
  time_zone text not null,
  requests_per_minute integer not null,
  has_api boolean not null,
  has_learning_library boolean not null,
  lesson_completed_callback_url text,
  lesson_completed_callback_authorization text,
  created_at timestamptz not null,
  constraint companies_pkey primary key (company_id),
  constraint companies_company_id_check check (company_id between 1 and 9007199254740990),
  constraint companies_name_check check (char_length(name) between 1 and 255),
  constraint companies_requests_per_minute_check check (requests_per_minute > 0)
);

-- One row for each company and kind of thing. A write locks the rows of what it changes, in the order of `kind`, before
-- it reads, and holds them until it commits. That gives ids (last_id: small, per company, never used twice), totals,
-- and an order of changes: moved_at strictly grows, and as the next writer gets the row only after this one has
-- committed, rows become visible in the order of their updated_at. Who asks for what changed after the largest
-- updated_at that they have seen misses nothing.
create table counters (
  company_id bigint not null,
  kind text not null,
  last_id bigint not null,
  total bigint not null,
  moved_at timestamptz not null,
  constraint counters_pkey primary key (company_id, kind),
  constraint counters_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint counters_last_id_check check (last_id between 0 and 9007199254740990),
  constraint counters_total_check check (total >= 0)
);

-- A long list, counted in blocks of neighbouring ids, so that its thousandth page is found by adding up a few hundred
-- numbers instead of walking a million rows. Ids only grow, so a new row always falls into the last block.
create table list_blocks (
  company_id bigint not null,
  list text not null,
  first_id bigint not null,
  total integer not null,
  constraint list_blocks_pkey primary key (company_id, list, first_id),
  constraint list_blocks_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint list_blocks_total_check check (total >= 0)
);

create table roles (
  company_id bigint not null,
  id bigint not null,
  name text not null,
  constraint roles_pkey primary key (company_id, id),
  constraint roles_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint roles_id_check check (id in (32, 34, 36, 42) or id between 100 and 9007199254740990),
  constraint roles_name_check check (char_length(name) between 1 and 255)
);

-- email_key is the e-mail in lower case, made by the server: PostgreSQL's lower() depends on a database's locale.
create table users (
  company_id bigint not null,
  id bigint not null,
  name text not null,
  email text not null,
  email_key text not null,
  role_id bigint not null,
  ext_uid text,
  sso_id text,
  job_title text,
  business_unit text,
  department text,
  location text,
  locale text not null,
  hire_date date,
  manager_name text,
  mobile_phone_number text,
  archived_at timestamptz,
  archived_by_user_id bigint,
  created_at timestamptz not null,
  constraint users_pkey primary key (company_id, id),
  constraint users_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint users_role_id_fkey foreign key (company_id, role_id) references roles (company_id, id),
  constraint users_id_check check (id between 1 and 9007199254740990),
  constraint users_name_check check (
    char_length(name) between 1 and 255 and name !~ '^ ' and name !~ '[]!@#$%^&*+=()|[;`]'
  ),
  constraint users_email_check check (char_length(email) between 1 and 254),
  constraint users_ext_uid_check check (char_length(ext_uid) between 1 and 255),
  constraint users_sso_id_check check (char_length(sso_id) between 1 and 255),
  constraint users_locale_check check (
    locale in ('ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pt', 'ru', 'sv', 'zh-CN')
  )
);
create unique index users_email_key_idx on users (company_id, email_key);
create unique index users_ext_uid_idx on users (company_id, ext_uid);
create index users_sso_id_idx on users (company_id, sso_id);
create index users_created_at_idx on users (company_id, created_at);
create index users_role_id_idx on users (company_id, role_id);
create index users_active_idx on users (company_id, id) where archived_at is null;

-- argon2id, as a PHC string.
create table passwords (
  company_id bigint not null,
  user_id bigint not null,
  hash text not null,
  changed_at timestamptz not null,
  constraint passwords_pkey primary key (company_id, user_id),
  constraint passwords_user_id_fkey foreign key (company_id, user_id) references users (company_id, id)
);

create table custom_user_fields (
  company_id bigint not null,
  id bigint not null,
  name text not null,
  name_key text not null,
  constraint custom_user_fields_pkey primary key (company_id, id),
  constraint custom_user_fields_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint custom_user_fields_id_check check (id between 1 and 9007199254740990),
  constraint custom_user_fields_name_check check (char_length(name) between 1 and 255)
);
create unique index custom_user_fields_name_key_idx on custom_user_fields (company_id, name_key);

create table custom_user_field_values (
  company_id bigint not null,
  id bigint not null,
  user_id bigint not null,
  custom_user_field_id bigint not null,
  value text not null,
  constraint custom_user_field_values_pkey primary key (company_id, id),
  constraint custom_user_field_values_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint custom_user_field_values_field_id_fkey
    foreign key (company_id, custom_user_field_id) references custom_user_fields (company_id, id),
  constraint custom_user_field_values_id_check check (id between 1 and 9007199254740990),
  constraint custom_user_field_values_value_check check (char_length(value) <= 500)
);
create unique index custom_user_field_values_user_idx
  on custom_user_field_values (company_id, user_id, custom_user_field_id);
create index custom_user_field_values_value_idx on custom_user_field_values (company_id, custom_user_field_id, value);

create table api_keys (
  company_id bigint not null,
  id bigint not null,
  name text not null,
  prefix text not null,
  made_by_user_id bigint,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  constraint api_keys_pkey primary key (company_id, id),
  constraint api_keys_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint api_keys_made_by_user_id_fkey
    foreign key (company_id, made_by_user_id) references users (company_id, id),
  constraint api_keys_name_check check (char_length(name) between 1 and 255)
);
create index api_keys_made_by_user_id_idx on api_keys (company_id, made_by_user_id);

create table groups (
  company_id bigint not null,
  id bigint not null,
  name text not null,
  archived_at timestamptz,
  archived_by_user_id bigint,
  created_at timestamptz not null,
  constraint groups_pkey primary key (company_id, id),
  constraint groups_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint groups_id_check check (id between 1 and 9007199254740990),
  constraint groups_name_check check (char_length(name) between 1 and 255 and name = btrim(name))
);

create table memberships (
  company_id bigint not null,
  group_id bigint not null,
  role text not null,
  user_id bigint not null,
  constraint memberships_pkey primary key (company_id, group_id, role, user_id),
  constraint memberships_group_id_fkey foreign key (company_id, group_id) references groups (company_id, id),
  constraint memberships_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint memberships_role_check check (role in ('member', 'manager'))
);
create index memberships_user_id_idx on memberships (company_id, user_id, role, group_id);

create table tags (
  company_id bigint not null,
  id bigint not null,
  name text not null,
  constraint tags_pkey primary key (company_id, id),
  constraint tags_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint tags_id_check check (id between 1 and 9007199254740990),
  constraint tags_name_check check (char_length(name) between 1 and 255)
);

-- What can be assigned: one row for each lesson, path and course, with what is counted of it.
-- total_completions counts learners who are completed or await a grade, by any way; via_assignment those of them who
-- are so by an assignment of this very thing.
create table assignables (
  company_id bigint not null,
  assignable_type text not null,
  assignable_id bigint not null,
  assignees_count bigint not null,
  completed_count bigint not null,
  total_completions bigint not null,
  via_assignment bigint not null,
  constraint assignables_pkey primary key (company_id, assignable_type, assignable_id),
  constraint assignables_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint assignables_type_check check (assignable_type in ('Lesson', 'LearningPaths::Path', 'Course')),
  constraint assignables_counts_check check (
    completed_count between 0 and assignees_count
    and via_assignment between completed_count and assignees_count
    and total_completions >= via_assignment
  )
);

create table lessons (
  company_id bigint not null,
  id bigint not null,
  title text not null,
  description text,
  retake_score integer not null,
  public boolean not null,
  created_at timestamptz not null,
  last_updated_at timestamptz,
  archived_at timestamptz,
  archived_by_user_id bigint,
  constraint lessons_pkey primary key (company_id, id),
  constraint lessons_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint lessons_id_check check (id between 1 and 9007199254740990),
  constraint lessons_title_check check (char_length(title) between 1 and 1000),
  constraint lessons_description_check check (char_length(description) <= 100000),
  constraint lessons_retake_score_check check (retake_score between 0 and 100)
);

create table paths (
  company_id bigint not null,
  id bigint not null,
  title text not null,
  description text not null,
  enforced_order boolean not null,
  public boolean not null,
  is_certification boolean not null,
  publisher_id bigint,
  published_at timestamptz,
  created_at timestamptz not null,
  last_updated_at timestamptz,
  archived_at timestamptz,
  archived_by_user_id bigint,
  constraint paths_pkey primary key (company_id, id),
  constraint paths_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint paths_id_check check (id between 1 and 9007199254740990),
  constraint paths_title_check check (char_length(title) between 1 and 1000),
  constraint paths_description_check check (char_length(description) <= 100000)
);

-- The contents of a path, one level. item_id is the id of a wait step or a placeholder; a lesson and a nested path are
-- named by their own ids.
create table path_items (
  company_id bigint not null,
  path_id bigint not null,
  position integer not null,
  resource_type text not null,
  lesson_id bigint,
  nested_path_id bigint,
  item_id bigint,
  effect text,
  condition text,
  unit text,
  amount integer,
  description text,
  constraint path_items_pkey primary key (company_id, path_id, position),
  constraint path_items_path_id_fkey foreign key (company_id, path_id) references paths (company_id, id),
  constraint path_items_lesson_id_fkey foreign key (company_id, lesson_id) references lessons (company_id, id),
  constraint path_items_nested_path_id_fkey foreign key (company_id, nested_path_id) references paths (company_id, id),
  constraint path_items_item_id_check check (item_id between 1 and 9007199254740990),
  constraint path_items_nested_path_id_check check (nested_path_id <> path_id),
  constraint path_items_amount_check check (amount >= 0),
  constraint path_items_resource_type_check check (
    case resource_type
      when 'lesson' then lesson_id is not null and num_nonnulls(nested_path_id, item_id, effect, condition, unit, amount, description) = 0
      when 'path' then nested_path_id is not null and num_nonnulls(lesson_id, item_id, effect, condition, unit, amount, description) = 0
      when 'wait_step' then num_nulls(item_id, effect, condition, unit, amount) = 0 and num_nonnulls(lesson_id, nested_path_id, description) = 0
      when 'placeholder' then item_id is not null and num_nonnulls(lesson_id, nested_path_id, effect, condition, unit, amount) = 0
      else false
    end
  )
);
create unique index path_items_item_id_idx on path_items (company_id, resource_type, item_id);
create index path_items_lesson_id_idx on path_items (company_id, lesson_id);
create index path_items_nested_path_id_idx on path_items (company_id, nested_path_id);

create table courses (
  company_id bigint not null,
  id bigint not null,
  owner_id bigint,
  title text not null,
  description text,
  public boolean not null,
  created_at timestamptz not null,
  last_updated_at timestamptz,
  archived_at timestamptz,
  archived_by_user_id bigint,
  constraint courses_pkey primary key (company_id, id),
  constraint courses_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint courses_id_check check (id between 1 and 9007199254740990),
  constraint courses_title_check check (char_length(title) between 1 and 1000),
  constraint courses_description_check check (char_length(description) <= 100000)
);

create table course_lessons (
  company_id bigint not null,
  course_id bigint not null,
  position integer not null,
  lesson_id bigint not null,
  constraint course_lessons_pkey primary key (company_id, course_id, position),
  constraint course_lessons_course_id_fkey foreign key (company_id, course_id) references courses (company_id, id),
  constraint course_lessons_lesson_id_fkey foreign key (company_id, lesson_id) references lessons (company_id, id)
);
create index course_lessons_lesson_id_idx on course_lessons (company_id, lesson_id);

create table taggings (
  company_id bigint not null,
  tag_id bigint not null,
  taggable_type text not null,
  taggable_id bigint not null,
  constraint taggings_pkey primary key (company_id, tag_id, taggable_type, taggable_id),
  constraint taggings_tag_id_fkey foreign key (company_id, tag_id) references tags (company_id, id),
  constraint taggings_taggable_fkey foreign key (company_id, taggable_type, taggable_id)
    references assignables (company_id, assignable_type, assignable_id)
);
create index taggings_taggable_idx on taggings (company_id, taggable_type, taggable_id, tag_id);

create table group_assignments (
  company_id bigint not null,
  id bigint not null,
  group_id bigint not null,
  assignable_type text not null,
  assignable_id bigint not null,
  constraint group_assignments_pkey primary key (company_id, id),
  constraint group_assignments_group_id_fkey foreign key (company_id, group_id) references groups (company_id, id),
  constraint group_assignments_assignable_fkey foreign key (company_id, assignable_type, assignable_id)
    references assignables (company_id, assignable_type, assignable_id),
  constraint group_assignments_id_check check (id between 1 and 9007199254740990)
);
create unique index group_assignments_group_idx
  on group_assignments (company_id, group_id, assignable_type, assignable_id);
create index group_assignments_assignable_idx on group_assignments (company_id, assignable_type, assignable_id);

-- One row for each user and thing. Overdue is never stored: it is Incomplete after the due date.
-- group_id names the group by which the user got the assignment; the group may be gone.
create table assignments (
  company_id bigint not null,
  id bigint not null,
  assignee_id bigint not null,
  assignable_type text not null,
  assignable_id bigint not null,
  group_id bigint,
  assigned_at timestamptz not null,
  due_by timestamptz,
  reassigned_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  updated_at timestamptz not null,
  status text not null,
  score integer,
  constraint assignments_pkey primary key (company_id, id),
  constraint assignments_assignee_id_fkey foreign key (company_id, assignee_id) references users (company_id, id),
  constraint assignments_assignable_fkey foreign key (company_id, assignable_type, assignable_id)
    references assignables (company_id, assignable_type, assignable_id),
  constraint assignments_id_check check (id between 1 and 9007199254740990),
  constraint assignments_status_check check (status in ('Incomplete', 'Grade Pending', 'Completed')),
  constraint assignments_completed_at_check check (
    case status when 'Incomplete' then completed_at is null when 'Completed' then completed_at is not null else true end
  ),
  constraint assignments_score_check check (score between 0 and 100),
  constraint assignments_due_by_check check (due_by >= '0001-01-01 00:00:00+00' and due_by < '10000-01-01 00:00:00+00')
);
create unique index assignments_assignee_idx
  on assignments (company_id, assignee_id, assignable_type, assignable_id);
create index assignments_assignable_idx on assignments (company_id, assignable_type, assignable_id, id);
create index assignments_updated_at_idx on assignments (company_id, updated_at, id);
create index assignments_status_idx on assignments (company_id, status, id, due_by);

-- How many assignments that are Incomplete fall due on a day (UTC): the number that is Overdue is a sum over the past.
create table due_dates (
  company_id bigint not null,
  due_on date not null,
  incomplete bigint not null,
  constraint due_dates_pkey primary key (company_id, due_on),
  constraint due_dates_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint due_dates_incomplete_check check (incomplete >= 0)
);

-- A learner's progress in the lessons of an assigned path.
create table lesson_progress (
  company_id bigint not null,
  assignment_id bigint not null,
  lesson_id bigint not null,
  user_id bigint not null,
  started_at timestamptz,
  completed_at timestamptz,
  status text not null,
  score integer,
  constraint lesson_progress_pkey primary key (company_id, assignment_id, lesson_id),
  constraint lesson_progress_assignment_id_fkey
    foreign key (company_id, assignment_id) references assignments (company_id, id),
  constraint lesson_progress_lesson_id_fkey foreign key (company_id, lesson_id) references lessons (company_id, id),
  constraint lesson_progress_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint lesson_progress_status_check check (status in ('Incomplete', 'Grade Pending', 'Completed')),
  constraint lesson_progress_score_check check (score between 0 and 100)
);
create index lesson_progress_lesson_id_idx on lesson_progress (company_id, lesson_id, user_id);
create index lesson_progress_user_id_idx on lesson_progress (company_id, user_id);

-- Who is completed, or awaits a grade, in a lesson by any way: each learner once. total_completions counts these rows.
create table lesson_completions (
  company_id bigint not null,
  lesson_id bigint not null,
  user_id bigint not null,
  via_assignment boolean not null,
  constraint lesson_completions_pkey primary key (company_id, lesson_id, user_id),
  constraint lesson_completions_lesson_id_fkey foreign key (company_id, lesson_id) references lessons (company_id, id),
  constraint lesson_completions_user_id_fkey foreign key (company_id, user_id) references users (company_id, id)
);
create index lesson_completions_user_id_idx on lesson_completions (company_id, user_id);

-- What an assignment's earlier rounds ended with: reassigning moves a result here. `contents` keeps the progress in
-- the lessons of a path.
create table assignment_results (
  company_id bigint not null,
  assignment_id bigint not null,
  round integer not null,
  due_by timestamptz,
  started_at timestamptz,
  completed_at timestamptz not null,
  score integer,
  contents jsonb not null,
  constraint assignment_results_pkey primary key (company_id, assignment_id, round),
  constraint assignment_results_assignment_id_fkey
    foreign key (company_id, assignment_id) references assignments (company_id, id),
  constraint assignment_results_round_check check (round > 0),
  constraint assignment_results_score_check check (score between 0 and 100)
);

-- What a user viewed and completed in the learning library, without assignment.
create table library_uses (
  company_id bigint not null,
  user_id bigint not null,
  assignable_type text not null,
  assignable_id bigint not null,
  views integer not null,
  completions integer not null,
  constraint library_uses_pkey primary key (company_id, user_id, assignable_type, assignable_id),
  constraint library_uses_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint library_uses_assignable_fkey foreign key (company_id, assignable_type, assignable_id)
    references assignables (company_id, assignable_type, assignable_id),
  constraint library_uses_views_check check (views >= 0 and completions >= 0)
);
create index library_uses_assignable_idx on library_uses (company_id, assignable_type, assignable_id);

-- Who did what, when, with the state before and after. Written in the transaction of the change.
create table audit_log (
  company_id bigint not null,
  id uuid not null default gen_random_uuid(),
  at timestamptz not null,
  actor_type text not null,
  actor_id bigint,
  request_id text,
  action text not null,
  resource_type text not null,
  resource_id bigint,
  before jsonb,
  after jsonb,
  constraint audit_log_pkey primary key (company_id, at, id),
  constraint audit_log_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint audit_log_actor_type_check check (actor_type in ('api_key', 'user', 'command'))
);
create index audit_log_resource_idx on audit_log (company_id, resource_type, resource_id);

-- Sets the company for the rest of the transaction. `set local` reaches the workers of a cluster, set_config does not.
create function set_company(id bigint) returns void language plpgsql as $$
begin
  execute format('set local app.company_id = %L', id);
end
$$;

-- Looks at the tables anew, so that queries are planned for the rows that are there: after an import PostgreSQL would do
-- so by itself within a minute, and until then take a company that it has never seen for an empty one. Only the owner
-- may; the serving role does it through this function.
create function analyze_tables() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  analyze users, custom_user_field_values, groups, memberships, assignables, lessons, paths, path_items, taggings,
    course_lessons, group_assignments, assignments, due_dates, lesson_progress, lesson_completions,
    assignment_results, library_uses, list_blocks;
exception
  when others then
    -- Statistics only make queries fast: what they are for must not fail by them.
    raise warning 'the tables could not be analyzed: %', sqlerrm;
end
$$;

-- Blanks what the audit log keeps of a user who is erased. The serving role can't change the log in any other way.
create function blank_audit_of_user(of_company_id bigint, of_user_id bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update audit_log set before = null, after = null
  where company_id = of_company_id and resource_type = 'user' and resource_id = of_user_id;
end
$$;

-- The second wall, the same for every table of a company. After a transaction the setting is an empty string, hence
-- nullif: with no company set, every table is empty.
do $$
declare
  name text;
begin
  foreach name in array array[
    'companies', 'counters', 'list_blocks', 'roles', 'users', 'passwords', 'custom_user_fields',
    'custom_user_field_values', 'api_keys', 'groups', 'memberships', 'tags', 'assignables', 'lessons', 'paths',
    'path_items', 'courses', 'course_lessons', 'taggings', 'group_assignments', 'assignments', 'due_dates',
    'lesson_progress', 'lesson_completions', 'assignment_results', 'library_uses', 'audit_log'
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

-- The role that serves: it owns nothing and can't pass the wall. A role belongs to the whole PostgreSQL cluster, so
-- another database may have made it already, or an operator for an owner who may not make roles.
do $$
begin
  if not exists (select from pg_roles where rolname = 'lectern_app') then
    create role lectern_app nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
end
$$;

grant usage on schema public to lectern_app;
grant select, insert, update, delete on all tables in schema public to lectern_app;
revoke update, delete on audit_log from lectern_app;
grant usage on sequence company_ids to lectern_app;
grant execute on function set_company to lectern_app;
revoke execute on function analyze_tables from public;
grant execute on function analyze_tables to lectern_app;
revoke execute on function blank_audit_of_user from public;
grant execute on function blank_audit_of_user to lectern_app;
