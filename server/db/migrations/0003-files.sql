-- Files: pictures, videos, recordings and documents of lessons and answers.
--
-- The bytes lie in a folder or an S3-compatible store; what they are, and whose, stands here.

-- An upload that goes on, one that has become the file `file_id`, or one that was given up (`ended_at`) and is being
-- removed. While a process makes the file of it, it holds the upload until `held_until`, which it moves on as long as it
-- lives.
create table uploads (
  company_id bigint not null,
  id bigint not null,
  name text not null,
  size bigint not null,
  sha256 bytea,
  part_size integer not null,
  created_by_user_id bigint,
  created_at timestamptz not null,
  touched_at timestamptz not null,
  held_until timestamptz,
  ended_at timestamptz,
  file_id bigint,
  constraint uploads_pkey primary key (company_id, id),
  constraint uploads_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint uploads_name_check check (char_length(name) between 1 and 255),
  constraint uploads_size_check check (size > 0),
  constraint uploads_part_size_check check (part_size > 0),
  constraint uploads_sha256_check check (octet_length(sha256) = 32)
);
create index uploads_touched_at_idx on uploads (company_id, touched_at);
create index uploads_open_idx on uploads (company_id, created_by_user_id) where file_id is null;

-- A part that has arrived whole. Sent again it is stored under another name, so that the one that is known stays whole
-- until the new one is.
create table upload_parts (
  company_id bigint not null,
  upload_id bigint not null,
  number integer not null,
  size integer not null,
  stored_as text not null,
  constraint upload_parts_pkey primary key (company_id, upload_id, number),
  constraint upload_parts_upload_id_fkey foreign key (company_id, upload_id) references uploads (company_id, id),
  constraint upload_parts_number_check check (number > 0),
  constraint upload_parts_size_check check (size > 0)
);

-- Bytes by their SHA-256: a company keeps the same bytes once. They lie where the upload that brought them put them, in
-- parts of part_size bytes, the last one shorter. released_at: nothing shows them any more, and they are being removed;
-- who brings the same bytes then brings them anew.
create table file_blobs (
  company_id bigint not null,
  upload_id bigint not null,
  sha256 bytea not null,
  size bigint not null,
  part_size bigint not null,
  stored_as text[] not null,
  released_at timestamptz,
  constraint file_blobs_pkey primary key (company_id, upload_id, sha256),
  constraint file_blobs_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint file_blobs_sha256_check check (octet_length(sha256) = 32),
  constraint file_blobs_size_check check (size > 0 and part_size > 0)
);
create unique index file_blobs_sha256_idx on file_blobs (company_id, sha256) where released_at is null;
create index file_blobs_released_at_idx on file_blobs (company_id, released_at) where released_at is not null;

-- unreferenced_since: nothing has shown the file from that moment on; null while something does.
create table files (
  company_id bigint not null,
  id bigint not null,
  name text not null,
  kind text not null,
  created_by_user_id bigint,
  created_at timestamptz not null,
  unreferenced_since timestamptz,
  constraint files_pkey primary key (company_id, id),
  constraint files_company_id_fkey foreign key (company_id) references companies (company_id),
  constraint files_name_check check (char_length(name) between 1 and 255),
  constraint files_kind_check check (kind in ('image', 'video', 'audio', 'document', 'download'))
);
create index files_created_by_user_id_idx on files (company_id, created_by_user_id, id);
create index files_kind_idx on files (company_id, kind, id);
create index files_unreferenced_since_idx on files (company_id, unreferenced_since) where unreferenced_since is not null;

-- What a file can be had as: the original, and of a picture smaller ones, named by their width.
create table file_contents (
  company_id bigint not null,
  file_id bigint not null,
  variant text not null,
  media_type text not null,
  width integer,
  height integer,
  upload_id bigint not null,
  sha256 bytea not null,
  constraint file_contents_pkey primary key (company_id, file_id, variant),
  constraint file_contents_file_id_fkey foreign key (company_id, file_id) references files (company_id, id),
  constraint file_contents_blob_fkey foreign key (company_id, upload_id, sha256)
    references file_blobs (company_id, upload_id, sha256),
  constraint file_contents_variant_check check (variant in ('original', '320', '960', '1920'))
);
create index file_contents_blob_idx on file_contents (company_id, upload_id, sha256);

-- What shows a file. version is 0 where the resource has none, as a draft or an answer.
create table file_references (
  company_id bigint not null,
  resource_type text not null,
  resource_id bigint not null,
  version integer not null,
  file_id bigint not null,
  constraint file_references_pkey primary key (company_id, resource_type, resource_id, version, file_id),
  constraint file_references_file_id_fkey foreign key (company_id, file_id) references files (company_id, id),
  constraint file_references_version_check check (version >= 0)
);
create index file_references_file_id_idx on file_references (company_id, file_id);

-- The total of file_bytes is what the company's bytes take, those that its open uploads will bring included.
alter table companies no force row level security;
alter table counters no force row level security;
insert into counters (company_id, kind, last_id, total, moved_at)
select company_id, kind, 0, 0, now()
from companies cross join unnest(array['file_bytes', 'files', 'uploads']) as kind
on conflict (company_id, kind) do nothing;
alter table companies force row level security;
alter table counters force row level security;

do $$
declare
  name text;
begin
  foreach name in array array[
    'uploads', 'upload_parts', 'file_blobs', 'files', 'file_contents', 'file_references'
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
  uploads, upload_parts, file_blobs, files, file_contents, file_references
to lectern_app;
