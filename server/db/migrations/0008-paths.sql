-- Paths are published, and certificates are renewed.

alter table paths add column language text not null default 'en';
alter table paths add constraint paths_language_check check (
  language in ('ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pt', 'ru', 'sv', 'zh-CN')
);

-- What was asked for on publishing: nothing more; that learners are told, which told_at says when it was done; or that
-- everyone who had completed the path takes it again, until due_by.
alter table path_versions add column learners text not null default 'nothing';
alter table path_versions add column due_by timestamptz;
alter table path_versions add column told_at timestamptz;
alter table path_versions add constraint path_versions_learners_check check (learners in ('nothing', 'tell', 'ask_again'));
alter table path_versions add constraint path_versions_told_at_check check (told_at is null or learners = 'tell');
create index path_versions_untold_idx on path_versions (company_id, published_at) where learners = 'tell' and told_at is null;

-- The certificates whose renewal is still to open, the next first.
create index certificates_renewal_idx on certificates (company_id, expires_at)
where renewal_opened_at is null and revoked_at is null;
