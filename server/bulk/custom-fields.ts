import { sql } from "kysely";
import { moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import type { FieldError } from "../http/problem.ts";
import { makeFields, toNameKey } from "../users/custom-fields.ts";
import type { Person } from "./persons.ts";
import type { UserRow } from "./rows.ts";

/** What a row sets: values by the field's id, and by the name of fields that are not there yet. */
interface Values {
  readonly byId: ReadonlyMap<number, string>;
  readonly byNewName: ReadonlyMap<string, string>;
  readonly errors: readonly FieldError[];
}

/** The custom user fields of the company, and what people have in them as rows have set it so far. */
export class CustomFields {
  readonly #tx: WriteTx;
  readonly #at: string;
  readonly #ids: Set<number>;
  readonly #byName: Map<string, number>;
  readonly #held = new Map<number, Map<number, string>>();
  readonly #set = new Map<Person, Map<number, string>>();

  private constructor(
    tx: WriteTx,
    at: string,
    fields: readonly { readonly id: number; readonly name_key: string }[],
  ) {
    this.#tx = tx;
    this.#at = at;
    this.#ids = new Set(fields.map(({ id }) => id));
    this.#byName = new Map(fields.map(({ id, name_key }) => [name_key, id]));
  }

  /** Reads the fields, and what people have in them; nothing where no row sets any. */
  static async read(
    tx: WriteTx,
    at: string,
    { people, rows }: { readonly people: readonly Person[]; readonly rows: readonly UserRow[] },
  ): Promise<CustomFields> {
    if (rows.every(({ custom_user_fields: items = [] }) => items.length === 0))
      return new CustomFields(tx, at, []);
    const fields = await tx.sql
      .selectFrom("custom_user_fields")
      .select(["id", "name_key"])
      .where("company_id", "=", tx.company.id)
      .execute();
    const custom = new CustomFields(tx, at, fields);
    const { rows: values } = await sql<{ user_id: number; field: number; value: string }>`
      select user_id, custom_user_field_id as field, value
      from custom_user_field_values
      where company_id = ${tx.company.id} and user_id = any(${people.map(({ id }) => id)}::bigint[])`.execute(
      tx.sql,
    );
    for (const { user_id, field, value } of values) custom.#heldBy(user_id).set(field, value);
    return custom;
  }

  readItems({ custom_user_fields: items = [] }: UserRow): Values {
    const byId = new Map<number, string>();
    const byNewName = new Map<string, string>();
    const errors: FieldError[] = [];
    for (const [index, { custom_user_field_id, name, value }] of items.entries()) {
      const field = `custom_user_fields[${index}]`;
      const id = custom_user_field_id ?? (name === undefined ? undefined : this.#byName.get(toNameKey(name)));
      if (custom_user_field_id !== undefined && !this.#ids.has(custom_user_field_id)) {
        const message = "names no custom user field of this company";
        errors.push({ field: `${field}.custom_user_field_id`, message });
      } else if (id !== undefined) byId.set(id, value);
      else if (name !== undefined) byNewName.set(name, value);
      else errors.push({ field, message: "needs custom_user_field_id or name" });
    }
    return { byId, byNewName, errors };
  }

  /** Whether a row sets something that a person does not have. */
  differ(person: Person, { byId, byNewName }: Values): boolean {
    return byNewName.size > 0 || [...byId].some(([field, value]) => this.#valueOf(person, field) !== value);
  }

  /** Sets what a row sets; it is written by `save`. Fields that are new are made at once. */
  async set(person: Person, { byId, byNewName }: Values): Promise<void> {
    const values = new Map([...(this.#set.get(person) ?? []), ...byId]);
    for (const [key, id] of await makeFields(this.#tx, [...byNewName.keys()], this.#at)) {
      this.#ids.add(id);
      this.#byName.set(key, id);
    }
    for (const [name, value] of byNewName) {
      const id = this.#byName.get(toNameKey(name));
      if (id !== undefined) values.set(id, value);
    }
    if (values.size > 0) this.#set.set(person, values);
  }

  /** Writes what is set of people who are written themselves. */
  async save(people: readonly Person[]): Promise<void> {
    const set = people.flatMap((person) =>
      [...(this.#set.get(person) ?? [])].map(([field, value]) => ({ user_id: person.id, field, value })),
    );
    const held = ({ user_id, field }: (typeof set)[number]) => this.#held.get(user_id)?.has(field) === true;
    await replaceValues(this.#tx, set.filter(held));
    await addValues(
      this.#tx,
      set.filter((value) => !held(value)),
      this.#at,
    );
    for (const { user_id, field, value } of set) this.#heldBy(user_id).set(field, value);
    for (const person of people) this.#set.delete(person);
  }

  #valueOf(person: Person, field: number): string | undefined {
    return this.#set.get(person)?.get(field) ?? this.#held.get(person.id)?.get(field);
  }

  #heldBy(user_id: number): Map<number, string> {
    const held = this.#held.get(user_id) ?? new Map<number, string>();
    this.#held.set(user_id, held);
    return held;
  }
}

interface Value {
  readonly user_id: number;
  readonly field: number;
  readonly value: string;
}

async function replaceValues(tx: WriteTx, values: readonly Value[]): Promise<void> {
  if (values.length === 0) return;
  await sql`
    update custom_user_field_values as held
    set value = given.value
    from unnest(
      ${values.map(({ user_id }) => user_id)}::bigint[],
      ${values.map(({ field }) => field)}::bigint[],
      ${values.map(({ value }) => value)}::text[]
    ) as given (user_id, field, value)
    where held.company_id = ${tx.company.id} and held.user_id = given.user_id
      and held.custom_user_field_id = given.field`.execute(tx.sql);
}

async function addValues(tx: WriteTx, values: readonly Value[], at: string): Promise<void> {
  if (values.length === 0) return;
  const count = values.length;
  const first = await moveCounter(tx, { kind: "custom_user_field_values", ids: count, total: count, at });
  await sql`
    insert into custom_user_field_values (company_id, id, user_id, custom_user_field_id, value)
    select ${tx.company.id}, id, user_id, field, value
    from unnest(
      ${values.map((_, index) => first + index)}::bigint[],
      ${values.map(({ user_id }) => user_id)}::bigint[],
      ${values.map(({ field }) => field)}::bigint[],
      ${values.map(({ value }) => value)}::text[]
    ) as given (id, user_id, field, value)
    returning id`.execute(tx.sql);
}
