-- What people are mailed. A notice is one thing to tell one person; the mailer makes letters of the notices that are due,
-- and words of them when a letter is sent: so what no longer holds by then is not told.

-- How far the mailer has looked: at the change feed, and at which day's reminders. No row: at nothing yet.
create table mail_state (
  company_id bigint not null,
  position bigint not null,
  reminded_on date,
  constraint mail_state_pkey primary key (company_id),
  constraint mail_state_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint mail_state_position_check check (position >= 0)
);

-- A letter to one person. Gathered ones tell what came together; others go alone and at once. subject and address are
-- those of the last try: they are written when it is sent. next_try_at is also when who is sending it should be done.
create table mails (
  company_id bigint not null,
  id bigint not null,
  user_id bigint not null,
  kind text not null,
  is_gathered boolean not null,
  -- 0 where somebody sits and waits for it, 1 for others that go alone, 2 for what can wait.
  queue smallint not null,
  message_id text not null,
  address text,
  subject text,
  status text not null,
  tries integer not null,
  next_try_at timestamptz,
  reason text,
  created_at timestamptz not null,
  sent_at timestamptz,
  constraint mails_pkey primary key (company_id, id),
  constraint mails_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint mails_queue_check check (queue between 0 and 2),
  constraint mails_id_check check (id between 1 and 9007199254740990),
  constraint mails_status_check check (
    status in ('waiting', 'sending', 'handed_over', 'sent', 'unsure', 'refused', 'address_refused', 'dropped')
  ),
  constraint mails_next_try_at_check check (
    (next_try_at is not null) = (status in ('waiting', 'sending', 'handed_over'))
  ),
  constraint mails_sent_at_check check ((sent_at is not null) = (status = 'sent'))
);
-- What is to be done next: who waits for a link is not kept waiting by ten thousand others. A letter that nobody ends
-- in time is looked at again when its claim ends.
create index mails_next_try_at_idx on mails (company_id, queue, next_try_at, id) where next_try_at is not null;
create index mails_user_id_idx on mails (company_id, user_id, created_at);

-- The key is what makes each thing told once. facts are ids and numbers, never words.
create table mail_notices (
  company_id bigint not null,
  key text not null,
  user_id bigint not null,
  kind text not null,
  pace text not null,
  facts jsonb not null,
  created_at timestamptz not null,
  send_at timestamptz not null,
  mail_id bigint,
  constraint mail_notices_pkey primary key (company_id, key),
  constraint mail_notices_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint mail_notices_mail_id_fkey foreign key (company_id, mail_id) references mails (company_id, id),
  constraint mail_notices_key_check check (char_length(key) between 1 and 200),
  constraint mail_notices_pace_check check (pace in ('alone', 'soon', 'digest'))
);
create index mail_notices_send_at_idx on mail_notices (company_id, send_at, user_id) where mail_id is null;
create index mail_notices_user_id_idx on mail_notices (company_id, user_id);
create index mail_notices_mail_id_idx on mail_notices (company_id, mail_id);

-- Addresses that a mail server has refused: nothing is sent there until the person has another one.
create table mail_addresses_refused (
  company_id bigint not null,
  email_key text not null,
  reason text not null,
  refused_at timestamptz not null,
  constraint mail_addresses_refused_pkey primary key (company_id, email_key),
  constraint mail_addresses_refused_company_id_fkey foreign key (company_id) references companies (company_id)
);

-- A row is a category of mails that somebody does not want.
create table mail_preferences (
  company_id bigint not null,
  user_id bigint not null,
  category text not null,
  constraint mail_preferences_pkey primary key (company_id, user_id, category),
  constraint mail_preferences_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint mail_preferences_category_check check (
    category in ('assignments', 'reminders', 'results', 'certificates', 'team', 'administration')
  )
);

do $$
declare
  name text;
begin
  foreach name in array array['mail_state', 'mails', 'mail_notices', 'mail_addresses_refused', 'mail_preferences'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy of_its_company on %I using (company_id = nullif(current_setting(''app.company_id'', true), '''')::bigint)',
      name
    );
    execute format('grant select, insert, update, delete on %I to lectern_app', name);
  end loop;
end
$$;

-- What one process of the installation does for all of them, and until when it has said that it will.
create table leases (
  name text not null,
  holder text not null,
  until timestamptz not null,
  constraint leases_pkey primary key (name)
);
grant select, insert, update, delete on leases to lectern_app;

-- What was published before there were mails is old news.
alter table lesson_versions no force row level security;
alter table path_versions no force row level security;
update lesson_versions set told_at = published_at where learners = 'tell' and told_at is null;
update path_versions set told_at = published_at where learners = 'tell' and told_at is null;
alter table lesson_versions force row level security;
alter table path_versions force row level security;

-- The mailer begins where the feed is: what had happened before is not told.
alter table companies no force row level security;
alter table counters no force row level security;
alter table mail_state no force row level security;
insert into mail_state (company_id, position)
select company_id, last_id from counters where kind = 'events'
on conflict (company_id) do nothing;
insert into counters (company_id, kind, last_id, total, moved_at)
select company_id, 'mails', 0, 0, now() from companies
on conflict (company_id, kind) do nothing;
alter table companies force row level security;
alter table counters force row level security;
alter table mail_state force row level security;
