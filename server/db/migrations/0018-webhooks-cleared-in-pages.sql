-- What may be millions of rows is done in pages, after the request that asked for it: the endpoint's row says what. What
-- waits of events up to `given_up_through` is given up; 0 for none. One that was deleted goes with all that is its own.
alter table webhook_endpoints add column given_up_through bigint not null default 0;
alter table webhook_endpoints add column deleted_at timestamptz;
-- When it last began anew: what was due by then and still waits counts its tries from there.
alter table webhook_endpoints add column begun_at timestamptz;
