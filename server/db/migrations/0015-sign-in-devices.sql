-- What each person has signed in with, so that they are told of what they never used before. `device` is the browser's
-- kind and its system in words; `address` is where it was first seen.
create table sign_in_devices (
  company_id bigint not null,
  user_id bigint not null,
  device text not null,
  address text,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  constraint sign_in_devices_pkey primary key (company_id, user_id, device),
  constraint sign_in_devices_user_id_fkey foreign key (company_id, user_id) references users (company_id, id),
  constraint sign_in_devices_device_check check (char_length(device) between 1 and 100)
);
alter table sign_in_devices enable row level security;
alter table sign_in_devices force row level security;
create policy of_its_company on sign_in_devices
  using (company_id = nullif(current_setting('app.company_id', true), '')::bigint);
grant select, insert, update, delete on sign_in_devices to lectern_app;

-- Administrators look for the letters that failed, and for those of one kind, among all that were sent.
create index mails_status_idx on mails (company_id, status, id);
create index mails_kind_idx on mails (company_id, kind, id);
