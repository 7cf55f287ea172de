-- Since when an endpoint has heard nothing, while it counts as dead: null while it hears.
alter table webhook_endpoints add column unheard_since timestamptz;

-- The last event whose month was dropped, and with it all that came before it: what is kept begins after it. Months go
-- by when a transaction began and ids by when it ended, so at a month's border they differ.
alter table companies add column events_forgotten_through bigint not null default 0;
