-- Lists of people in the order of their names, and by the beginning of a name or an e-mail.
create index users_name_idx on users (company_id, name, id);
create index users_name_prefix_idx on users (company_id, lower(name) text_pattern_ops);
create index users_email_prefix_idx on users (company_id, email_key text_pattern_ops);

-- What a bulk job was given about somebody goes with them.
create index bulk_rows_resource_id_idx on bulk_rows (company_id, resource_id);

-- Where somebody acted from is theirs too: with them it is blanked in the audit log.
create or replace function blank_audit_of_user(of_company_id bigint, of_user_id bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update audit_log set before = null, after = null
  where company_id = of_company_id and resource_type = 'user' and resource_id = of_user_id;
  update audit_log set address = null
  where company_id = of_company_id and actor_type = 'user' and actor_id = of_user_id;
end
$$;
