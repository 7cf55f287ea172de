-- Lessons are published and found.

-- What publishing makes of the tags and of `public` is part of the draft, and of what was published.
alter table lesson_drafts add column tag_ids bigint[] not null default '{}';
alter table lesson_versions add column public boolean not null default false;
alter table lesson_versions add column tag_ids bigint[] not null default '{}';

-- What was asked for on publishing: nothing more; that learners are told, which told_at says when it was done; or that
-- everyone who had completed the lesson takes it again, until due_by.
alter table lesson_versions add column learners text not null default 'nothing';
alter table lesson_versions add column due_by timestamptz;
alter table lesson_versions add column told_at timestamptz;
alter table lesson_versions add constraint lesson_versions_learners_check check (learners in ('nothing', 'tell', 'ask_again'));
alter table lesson_versions add constraint lesson_versions_told_at_check check (told_at is null or learners = 'tell');
create index lesson_versions_untold_idx on lesson_versions (company_id, published_at) where learners = 'tell' and told_at is null;

-- The library: what everyone may find and take.
create index lessons_library_idx on lessons (company_id, id)
where public and archived_at is null and published_version is not null;
create index paths_library_idx on paths (company_id, id)
where public and archived_at is null and published_version is not null;

-- The text that snippets are cut from; its title, description and tags stand where they are edited.
alter table search_documents add column text text not null default '';

-- Row-level security keeps words out of any index (they are compared by what is not leakproof), so each search reads
-- those of all that a company has: uncompressed, in less than half the time.
alter table search_documents alter column words set storage external;

-- What is there already is found by its title and description. The owner passes the wall for as long as it takes.
alter table lessons no force row level security;
alter table paths no force row level security;
alter table search_documents no force row level security;
insert into search_documents (company_id, content_type, content_id, language, words)
select company_id, 'Lesson', id, 'en',
  setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('simple', title), 'A')
  || setweight(to_tsvector('english', left(coalesce(description, ''), 10000)), 'C')
  || setweight(to_tsvector('simple', left(coalesce(description, ''), 10000)), 'C')
from lessons
union all
select company_id, 'LearningPaths::Path', id, 'en',
  setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('simple', title), 'A')
  || setweight(to_tsvector('english', left(description, 10000)), 'C')
  || setweight(to_tsvector('simple', left(description, 10000)), 'C')
from paths
on conflict (company_id, content_type, content_id) do nothing;
alter table lessons force row level security;
alter table paths force row level security;
alter table search_documents force row level security;
