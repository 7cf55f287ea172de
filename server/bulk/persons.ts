import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import type { Locale } from "../users/schema.ts";
import { toEmailKey } from "../users/users.ts";
import { isVisibleUser } from "../users/visible.ts";
import type { UserRow } from "./rows.ts";

/** The columns of a user that rows can set. */
export const columnNames = [
  "name",
  "email",
  "role_id",
  "ext_uid",
  "job_title",
  "business_unit",
  "department",
  "location",
  "locale",
  "hire_date",
  "manager_name",
  "mobile_phone_number",
] as const;

export interface Columns {
  readonly name: string;
  readonly email: string;
  readonly role_id: number;
  readonly ext_uid: string | null;
  readonly job_title: string | null;
  readonly business_unit: string | null;
  readonly department: string | null;
  readonly location: string | null;
  readonly locale: Locale;
  readonly hire_date: string | null;
  readonly manager_name: string | null;
  readonly mobile_phone_number: string | null;
}

/** What a new user has that no row sets. The role has to come from the row: no role is 0. */
export const newColumns: Columns = {
  name: "",
  email: "",
  role_id: 0,
  ext_uid: null,
  job_title: null,
  business_unit: null,
  department: null,
  location: null,
  locale: "en",
  hire_date: null,
  manager_name: null,
  mobile_phone_number: null,
};

/** A user as the rows so far have made them. */
export interface Person {
  /** 0 until they are written. */
  id: number;
  columns: Columns;
  /** As they are written in the database; null for who is not. */
  before: Columns | null;
  readonly archived_at: string | null;
  readonly isVisible: boolean;
}

/** The users whom rows may be about, or whose e-mail or ext_uid they would take. */
export class People {
  readonly all: Person[] = [];
  readonly byEmail = new Map<string, Person>();
  readonly byExtUid = new Map<string, Person>();

  /** Somebody new, who is not written yet. */
  add(columns: Columns): Person {
    const person = { id: 0, columns, before: null, archived_at: null, isVisible: true };
    this.put(person);
    return person;
  }

  put(person: Person): void {
    this.all.push(person);
    this.#index(person);
  }

  change(person: Person, columns: Columns): void {
    const { email, ext_uid } = person.columns;
    this.byEmail.delete(toEmailKey(email));
    if (ext_uid !== null) this.byExtUid.delete(ext_uid);
    person.columns = columns;
    this.#index(person);
  }

  #index(person: Person): void {
    const { email, ext_uid } = person.columns;
    this.byEmail.set(toEmailKey(email), person);
    if (ext_uid !== null) this.byExtUid.set(ext_uid, person);
  }
}

/** Finds whom rows are about, and whom they would clash with. */
export async function readPeople(tx: WriteTx, rows: readonly UserRow[]): Promise<People> {
  const emails = rows.flatMap(({ email }) => (email === undefined ? [] : toEmailKey(email)));
  const extUids = rows.flatMap(({ ext_uid }) => ext_uid ?? []);
  const { rows: found } = await sql<
    Columns & { readonly id: number; readonly archived_at: string | null; readonly is_visible: boolean }
  >`
    select id, archived_at, name, email, role_id, ext_uid, job_title, business_unit, department, location, locale,
      hire_date, manager_name, mobile_phone_number,
      ${isVisibleUser(tx, "users.write", sql.ref<number>("users.id"))} as is_visible
    from users
    where company_id = ${tx.company.id}
      and (email_key = any(${emails}::text[]) or ext_uid = any(${extUids}::text[]))`.execute(tx.sql);
  const people = new People();
  for (const { id, archived_at, is_visible: isVisible, ...columns } of found) {
    people.put({ id, archived_at, isVisible, columns, before: columns });
  }
  return people;
}
