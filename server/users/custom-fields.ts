import type { Static } from "typebox";
import { moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { type FieldError, invalid } from "../http/problem.ts";
import type { CustomUserFieldData, UserUpdate } from "./schema.ts";

type Item = Static<typeof CustomUserFieldData>;

/** What users have in the company's custom fields, by user, each in the order of its id. */
export async function listCustomData(tx: Tx, userIds: readonly number[]): Promise<Map<number, Item[]>> {
  const rows = await tx.sql
    .selectFrom("custom_user_field_values as value")
    .innerJoin("custom_user_fields as field", (join) =>
      join.onRef("field.company_id", "=", "value.company_id").onRef("field.id", "=", "value.custom_user_field_id"),
    )
    .select(["value.user_id", "value.id", "value.custom_user_field_id", "field.name", "value.value"])
    .where("value.company_id", "=", tx.company.id)
    .where("field.company_id", "=", tx.company.id)
    .where((eb) => eb("value.user_id", "=", eb.fn.any(eb.val([...userIds]))))
    .orderBy("value.id")
    .execute();
  const byUser = new Map<number, Item[]>();
  for (const { user_id, ...item } of rows) {
    const items = byUser.get(user_id);
    if (items === undefined) byUser.set(user_id, [item]);
    else items.push(item);
  }
  return byUser;
}

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
  const fields = await findOrMakeFields(tx, items, at);
  const values = new Map(items.map((item, index) => [fields[index] ?? 0, item.value]));
  const existing = await tx.sql
    .selectFrom("custom_user_field_values")
    .select("custom_user_field_id")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .execute();
  const had = new Set(existing.map((row) => row.custom_user_field_id));
  for (const [field, value] of values) {
    if (!had.has(field)) continue;
    await tx.sql
      .updateTable("custom_user_field_values")
      .set({ value })
      .where("company_id", "=", tx.company.id)
      .where("user_id", "=", user_id)
      .where("custom_user_field_id", "=", field)
      .execute();
  }
  await addValues(tx, { user_id, added: [...values].filter(([field]) => !had.has(field)), at });
}

async function addValues(
  tx: WriteTx,
  { user_id, added, at }: { user_id: number; added: readonly (readonly [number, string])[]; at: string },
): Promise<void> {
  if (added.length === 0) return;
  const first = await moveCounter(tx, {
    kind: "custom_user_field_values",
    ids: added.length,
    total: added.length,
    at,
  });
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

/** The id of the field that each element names, in the order of the elements. */
async function findOrMakeFields(
  tx: WriteTx,
  items: NonNullable<UserUpdate["custom_user_fields"]>,
  at: string,
): Promise<number[]> {
  const fields = await tx.sql
    .selectFrom("custom_user_fields")
    .select(["id", "name_key"])
    .where("company_id", "=", tx.company.id)
    .execute();
  const ids = new Set(fields.map(({ id }) => id));
  const byName = new Map(fields.map(({ id, name_key }) => [name_key, id]));
  const errors: FieldError[] = [];
  const found: number[] = [];
  for (const [index, { custom_user_field_id: id, name }] of items.entries()) {
    if (id === undefined && name === undefined) {
      errors.push({ field: `custom_user_fields[${index}]`, message: "needs custom_user_field_id or name" });
    } else if (id === undefined && name !== undefined) {
      const field = byName.get(name.toLowerCase()) ?? (await makeField(tx, name, at));
      byName.set(name.toLowerCase(), field);
      found.push(field);
    } else if (id !== undefined && ids.has(id)) {
      found.push(id);
    } else {
      errors.push({
        field: `custom_user_fields[${index}].custom_user_field_id`,
        message: "names no custom user field of this company",
      });
    }
  }
  if (errors.length > 0) throw invalid(...errors);
  return found;
}

async function makeField(tx: WriteTx, name: string, at: string): Promise<number> {
  const id = await moveCounter(tx, { kind: "custom_user_fields", ids: 1, total: 1, at });
  await tx.sql
    .insertInto("custom_user_fields")
    .values({ company_id: tx.company.id, id, name, name_key: name.toLowerCase() })
    .execute();
  return id;
}
