-- The secret of each attempt: what its learner sees shuffled, and the ids of choices, come from it.
--
-- Nothing has written an attempt yet: the version before this one has no way to.
alter table attempts add column seed text not null;
