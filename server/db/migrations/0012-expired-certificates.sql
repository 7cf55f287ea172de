-- Up to which moment it was told which certificates have expired; null until the first look, which tells nothing of the
-- past.
alter table companies add column certificates_expired_through timestamptz;
