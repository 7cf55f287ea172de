-- The events that hold what is known of a person, so that erasing somebody reads theirs alone. What a bulk change
-- assigns is not in it.
create index events_of_person_idx on events (company_id, user_id)
  where (type like 'user.%' or type like 'certificate.%' or type = 'lesson.completed') and type not like '%.deleted';
