import { type RawBuilder, sql } from "kysely";
import { moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { addToLists } from "../db/lists.ts";
import { toEmailKey } from "../users/users.ts";
import type { Person } from "./persons.ts";

/** Writes people: new ones with one statement, who then have their ids, and changed ones with another. */
export async function savePeople(tx: WriteTx, people: readonly Person[], at: string): Promise<void> {
  await insertPeople(
    tx,
    people.filter(({ before }) => before === null),
    at,
  );
  await updatePeople(
    tx,
    people.filter(({ before }) => before !== null),
  );
}

async function insertPeople(tx: WriteTx, people: readonly Person[], at: string): Promise<void> {
  if (people.length === 0) return;
  const count = people.length;
  const first = await moveCounter(tx, { kind: "users", ids: count, total: count, at });
  for (const [index, person] of people.entries()) person.id = first + index;
  await sql`
    insert into users (company_id, id, name, email, email_key, role_id, ext_uid, job_title, business_unit, department,
      location, locale, hire_date, manager_name, mobile_phone_number, created_at)
    select ${tx.company.id}, id, name, email, email_key, role_id, ext_uid, job_title, business_unit, department,
      location, locale, hire_date, manager_name, mobile_phone_number, ${at}::timestamptz
    from ${unnestPeople(people)}
    returning id`.execute(tx.sql);
  await addToLists(tx, [{ list: "users", ids: people.map(({ id }) => id) }]);
}

async function updatePeople(tx: WriteTx, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return;
  await sql`
    update users
    set name = given.name, email = given.email, email_key = given.email_key, role_id = given.role_id,
      ext_uid = given.ext_uid, job_title = given.job_title, business_unit = given.business_unit,
      department = given.department, location = given.location, locale = given.locale,
      hire_date = given.hire_date, manager_name = given.manager_name,
      mobile_phone_number = given.mobile_phone_number
    from ${unnestPeople(people)}
    where users.company_id = ${tx.company.id} and users.id = given.id`.execute(tx.sql);
}

function unnestPeople(people: readonly Person[]): RawBuilder<unknown> {
  const columns = people.map((person) => person.columns);
  return sql`unnest(
    ${people.map(({ id }) => id)}::bigint[],
    ${columns.map(({ name }) => name)}::text[],
    ${columns.map(({ email }) => email)}::text[],
    ${columns.map(({ email }) => toEmailKey(email))}::text[],
    ${columns.map(({ role_id }) => role_id)}::bigint[],
    ${columns.map(({ ext_uid }) => ext_uid)}::text[],
    ${columns.map(({ job_title }) => job_title)}::text[],
    ${columns.map(({ business_unit }) => business_unit)}::text[],
    ${columns.map(({ department }) => department)}::text[],
    ${columns.map(({ location }) => location)}::text[],
    ${columns.map(({ locale }) => locale)}::text[],
    ${columns.map(({ hire_date }) => hire_date)}::date[],
    ${columns.map(({ manager_name }) => manager_name)}::text[],
    ${columns.map(({ mobile_phone_number }) => mobile_phone_number)}::text[]
  ) as given (id, name, email, email_key, role_id, ext_uid, job_title, business_unit, department, location, locale,
    hire_date, manager_name, mobile_phone_number)`;
}
