import { sql } from "kysely";
import type { Static } from "typebox";
import { moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { type FieldError, invalid } from "../http/problem.ts";
import type { CustomUserFieldData, UserUpdate } from "./schema.ts";

type Item = Static<typeof CustomUserFieldData>;

/** A page of the company's own fields of users, by id. @throws Problem 422 for a cursor of another list */
export async function listCustomFields(
  tx: Tx,
  query: { cursor?: string; limit?: number },
): Promise<{ data: { id: number; name: string }[]; next: string | null }> {
  const page = readCursorPage(query);
  const rows = await tx.sql
    .selectFrom("custom_user_fields")
    .select(["id", "name"])
    .where("company_id", "=", tx.company.id)
    .where("id", ">", idAfter(page) ?? 0)
    .orderBy("id")
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, rows, { position: ({ id }) => [id], show: (row) => row });
}

/** What users have in the company's custom fields, by user, each in the order of its id. */
export async function listCustomData(tx: Tx, userIds: readonly number[]): Promise<Map<number, Item[]>> {
  const rows = await selectValues(tx, { company_id: tx.company.id, user_ids: userIds });
  const byUser = new Map<number, Item[]>();
  for (const { user_id, ...item } of rows) {
    const items = byUser.get(user_id);
    if (items === undefined) byUser.set(user_id, [item]);
    else items.push(item);
  }
  return byUser;
}

const selectValues = prepare<
  { company_id: number; user_ids: readonly number[] },
  Item & { readonly user_id: number }
>((db, place) =>
  db
    .selectFrom("custom_user_field_values as value")
    .innerJoin("custom_user_fields as field", (join) =>
      join
        .onRef("field.company_id", "=", "value.company_id")
        .onRef("field.id", "=", "value.custom_user_field_id"),
    )
    .select(["value.user_id", "value.id", "value.custom_user_field_id", "field.name", "value.value"])
    .where("value.company_id", "=", place("company_id"))
    .where("field.company_id", "=", place("company_id"))
    .where("value.user_id", "=", sql<number>`any(${place("user_ids")})`)
    .orderBy("value.id"),
);

/**
 * Gives a user values: added where the user has none for the field, replaced otherwise. A field that is named and
 * unknown is made. Needs the counters custom_user_fields and custom_user_field_values locked.
 * @throws Problem 400 for an unknown id or an element that names no field.
 */
export async function setCustomData(
  tx: WriteTx,
  { user_id, items, at }: { user_id: number; items: UserUpdate["custom_user_fields"]; at: string },
): Promise<void> {
  if (items === undefined || items.length === 0) return;
  const values = await readValues(tx, items, at);
  const existing = await tx.sql
    .selectFrom("custom_user_field_values")
    .select("custom_user_field_id")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .execute();
  const had = new Set(existing.map((row) => row.custom_user_field_id));
  const replaced = [...values].filter(([field]) => had.has(field));
  const added = [...values].filter(([field]) => !had.has(field));
  await replaceValues(tx, user_id, replaced);
  await addValues(tx, { user_id, added, at });
}

type Value = readonly [custom_user_field_id: number, value: string];

async function replaceValues(tx: WriteTx, user_id: number, replaced: readonly Value[]): Promise<void> {
  if (replaced.length === 0) return;
  await sql`
    update custom_user_field_values as held
    set value = given.value
    from unnest(
      ${replaced.map(([field]) => field)}::bigint[],
      ${replaced.map(([, value]) => value)}::text[]
    ) as given (field, value)
    where held.company_id = ${tx.company.id} and held.user_id = ${user_id}
      and held.custom_user_field_id = given.field`.execute(tx.sql);
}

async function addValues(
  tx: WriteTx,
  { user_id, added, at }: { user_id: number; added: readonly Value[]; at: string },
): Promise<void> {
  if (added.length === 0) return;
  const count = added.length;
  const first = await moveCounter(tx, { kind: "custom_user_field_values", ids: count, total: count, at });
  await tx.sql
    .insertInto("custom_user_field_values")
    .values(
      added.map(([custom_user_field_id, value], index) => ({
        company_id: tx.company.id,
        id: first + index,
        user_id,
        custom_user_field_id,
        value,
      })),
    )
    .execute();
}

type Items = NonNullable<UserUpdate["custom_user_fields"]>;

/** The value for each field that the elements name, by the field's id. Of two for one field the last counts. */
async function readValues(tx: WriteTx, items: Items, at: string): Promise<Map<number, string>> {
  const fields = await tx.sql
    .selectFrom("custom_user_fields")
    .select(["id", "name_key"])
    .where("company_id", "=", tx.company.id)
    .execute();
  const errors = findErrors(items, new Set(fields.map(({ id }) => id)));
  if (errors.length > 0) throw invalid(...errors);
  const ids = new Map(fields.map(({ id, name_key }) => [name_key, id]));
  const unknown = items.flatMap(({ custom_user_field_id: id, name }) =>
    id !== undefined || name === undefined || ids.has(toNameKey(name)) ? [] : [name],
  );
  for (const [key, id] of await makeFields(tx, unknown, at)) ids.set(key, id);
  const values = new Map<number, string>();
  for (const { custom_user_field_id, name = "", value } of items) {
    const id = custom_user_field_id ?? ids.get(toNameKey(name));
    if (id !== undefined) values.set(id, value);
  }
  return values;
}

function findErrors(items: Items, known: ReadonlySet<number>): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { custom_user_field_id: id, name }] of items.entries()) {
    const field = `custom_user_fields[${index}]`;
    if (id === undefined && name === undefined) {
      errors.push({ field, message: "needs custom_user_field_id or name" });
    } else if (id !== undefined && !known.has(id)) {
      const message = "names no custom user field of this company";
      errors.push({ field: `${field}.custom_user_field_id`, message });
    }
  }
  return errors;
}

/** Makes a field for each name, once, however often and in whatever case it is given. */
export async function makeFields(
  tx: WriteTx,
  names: readonly string[],
  at: string,
): Promise<Map<string, number>> {
  const distinct = [...new Map(names.map((name) => [toNameKey(name), name]))];
  if (distinct.length === 0) return new Map();
  const count = distinct.length;
  const first = await moveCounter(tx, { kind: "custom_user_fields", ids: count, total: count, at });
  const fields = distinct.map(([name_key, name], index) => ({
    company_id: tx.company.id,
    id: first + index,
    name,
    name_key,
  }));
  await tx.sql.insertInto("custom_user_fields").values(fields).execute();
  return new Map(fields.map(({ name_key, id }) => [name_key, id]));
}

/** Names are told apart without regard to case. */
export function toNameKey(name: string): string {
  return name.toLowerCase();
}
