import { sql } from "kysely";
import type { Static } from "typebox";
import { archiveContent, restoreContent } from "../db/archive.ts";
import { audit } from "../db/audit.ts";
import { type Kind, moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { addToLists } from "../db/lists.ts";
import { prepare } from "../db/prepare.ts";
import { follow, followNew } from "../events/changes.ts";
import { lockForUsers, refillGroups } from "../groups/refill.ts";
import { conflict, type FieldError, invalid, notFound } from "../http/problem.ts";
import { requireNoLessThan, requireNoLessThanUser } from "../roles/limits.ts";
import { endSessionsOf, voidTokens } from "../sessions/end.ts";
import { setCustomData } from "./custom-fields.ts";
import { isToldOfAccount, userEvents } from "./events.ts";
import { readRole } from "./roles.ts";
import type { NewUser, User, UserUpdate } from "./schema.ts";
import { selectUsers, toUserSummary, type UserRow } from "./show.ts";

/**
 * One user, with what the company's custom fields say of them.
 * @throws Problem 404
 */
export async function getUser(
  tx: Tx,
  user_id: number,
  type: Static<typeof User>["type"] = "user",
): Promise<Static<typeof User>> {
  const [row] = await selectUserWithData(tx, { company_id: tx.company.id, id: user_id });
  if (row === undefined) throw notFound("User");
  return { type, ...toUserSummary(tx, row), custom_user_field_data: row.custom_user_field_data };
}

/** The counters to lock before a user is made or changed. */
export const userCounters = ["users", "custom_user_fields", "custom_user_field_values"] as const;
/** What another e-mail moves too: the links that were sent to the former one. */
export const emailCounters = [...userCounters, "sign_in_links"] as const;

/** The counters to lock before a user is changed as a body says. */
export function countersToUpdate({ email }: UserUpdate & ProfileOfVersion2): readonly Kind[] {
  return email === undefined ? userCounters : emailCounters;
}

/**
 * Makes a user.
 * @throws Problem 400 for an e-mail or ext_uid that is taken, an unknown role, an unknown custom field; 403 for a role
 * that may more than the caller.
 */
export async function createUser(
  tx: WriteTx,
  body: NewUser & ProfileOfVersion2,
): Promise<Static<typeof User>> {
  const write = await lockForUsers(tx, ...userCounters);
  const { at } = write;
  const role_id = await readRole(tx, body);
  if (role_id === undefined) throw invalid({ field: "role_id", message: "is required, or role" });
  await requireNoLessThan(tx, [role_id]);
  const columns = readColumns(body);
  await checkUnique(tx, columns);
  const id = await moveCounter(tx, { kind: "users", ids: 1, total: 1, at });
  const isTold = isToldOfAccount({ role_id, notify: body.notify });
  followNew(tx, userEvents, { ids: [id], silent: isTold ? [] : [id] });
  await tx.sql
    .insertInto("users")
    .values({
      ...columns,
      company_id: tx.company.id,
      id,
      name: body.name,
      email: body.email,
      email_key: toEmailKey(body.email),
      locale: body.locale ?? "en",
      role_id,
      created_at: at,
    })
    .execute();
  await addToLists(tx, [{ list: "users", ids: [id] }]);
  await setCustomData(tx, { user_id: id, items: body.custom_user_fields, at });
  await refillGroups(tx, write, [id]);
  const user = await getUser(tx, id, "create_user");
  await audit(tx, { action: "create_user", resource_type: "user", resource_id: id, after: user, at });
  return user;
}

/**
 * Changes what the body names of a user.
 * @throws Problem 404; 400 for an archived user, an e-mail or ext_uid that is taken, an unknown role or custom field;
 * 403 for a role that may more than the caller, the user's own or the new one.
 */
export async function updateUser(
  tx: WriteTx,
  id: number,
  body: UserUpdate & ProfileOfVersion2,
): Promise<Static<typeof User>> {
  const write = await lockForUsers(tx, ...countersToUpdate(body));
  const { at } = write;
  const before = await getUser(tx, id);
  if (before.archived_at !== null) throw conflict("This user is archived: restore it first");
  const role_id = await readRole(tx, body);
  await requireNoLessThan(tx, [before.role_id, role_id]);
  const columns = readColumns(body);
  await Promise.all([checkUnique(tx, columns, id), follow(tx, userEvents, [id])]);
  const changes = { ...columns, ...(role_id === undefined ? {} : { role_id }) };
  if (Object.keys(changes).length > 0) await setColumns(tx, id, changes);
  const { email_key = toEmailKey(before.email) } = columns;
  if (email_key !== toEmailKey(before.email)) await voidTokens(tx, [id]);
  await setCustomData(tx, { user_id: id, items: body.custom_user_fields, at });
  await refillGroups(tx, write, [id]);
  const after = await getUser(tx, id, "update_user");
  await audit(tx, { action: "update_user", resource_type: "user", resource_id: id, before, after, at });
  return after;
}

/**
 * Archives a user, whose sessions end; one who is archived already stays as they are.
 * @throws Problem 404; 403 for one who may more than the caller.
 */
export async function archiveUser(tx: WriteTx, id: number): Promise<Static<typeof User>> {
  const write = await lockForUsers(tx, "users", "sessions", "sign_in_links");
  await requireNoLessThanUser(tx, id);
  await follow(tx, userEvents, [id]);
  await archiveContent(tx, { table: "users", id, at: write.at });
  await endSessionsOf(tx, [id]);
  await refillGroups(tx, write, [id]);
  return getUser(tx, id);
}

/**
 * Restores a user; one who is active stays as they are.
 * @throws Problem 404; 403 for one who may more than the caller; 409 for one who was made anonymous.
 */
export async function restoreUser(tx: WriteTx, id: number): Promise<Static<typeof User>> {
  const write = await lockForUsers(tx, "users");
  await requireNoLessThanUser(tx, id);
  await follow(tx, userEvents, [id]);
  await restoreContent(tx, { table: "users", id, at: write.at });
  await refillGroups(tx, write, [id]);
  const { anonymized_at, ...user } = await getUserState(tx, id);
  // What was just written is undone with the transaction.
  if (anonymized_at !== null) throw conflict("This user was made anonymous: nobody is left to restore");
  return user;
}

async function getUserState(tx: Tx, id: number) {
  const [user, state] = await Promise.all([
    getUser(tx, id),
    tx.sql
      .selectFrom("users")
      .select("anonymized_at")
      .where("company_id", "=", tx.company.id)
      .where("id", "=", id)
      .executeTakeFirst(),
  ]);
  return { ...user, anonymized_at: state?.anonymized_at ?? null };
}

/** What version 2 sets beside what version 1 does. */
export interface ProfileOfVersion2 {
  readonly mobile_phone_number?: string | null;
}

/** E-mails are told apart without regard to case. The key is made here, as lower() in PostgreSQL depends on a locale. */
export function toEmailKey(email: string): string {
  return email.toLowerCase();
}

/** One user with their values in the company's custom fields. */
const selectUserWithData = prepare<
  { company_id: number; id: number },
  UserRow & Pick<Static<typeof User>, "custom_user_field_data">
>((db, place) =>
  selectUsers({ sql: db, company: { id: place("company_id") } })
    .select(
      sql<Static<typeof User>["custom_user_field_data"]>`coalesce((
        select json_agg(json_build_object(
          'id', value.id, 'custom_user_field_id', field.id, 'name', field.name, 'value', value.value
        ) order by value.id)
        from custom_user_field_values as value
        join custom_user_fields as field
          on field.company_id = ${place("company_id")} and field.id = value.custom_user_field_id
        where value.company_id = ${place("company_id")} and value.user_id = users.id
      ), '[]')`.as("custom_user_field_data"),
    )
    .where("users.id", "=", place("id")),
);

const nullableColumns = [
  "ext_uid",
  "job_title",
  "business_unit",
  "department",
  "location",
  "hire_date",
  "manager_name",
  "mobile_phone_number",
] as const;

type Columns = { [K in (typeof nullableColumns)[number]]?: string | null } & {
  name?: string;
  email?: string;
  email_key?: string;
  locale?: UserRow["locale"];
  role_id?: number;
  archived_at?: string | null;
  archived_by_user_id?: number | null;
};

/** The columns that a body sets. */
function readColumns(body: UserUpdate & ProfileOfVersion2): Columns {
  const given = nullableColumns.filter((column) => body[column] !== undefined);
  return {
    ...Object.fromEntries(given.map((column) => [column, body[column]])),
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.email === undefined ? {} : { email: body.email, email_key: toEmailKey(body.email) }),
    ...(body.locale === undefined ? {} : { locale: body.locale }),
  };
}

async function setColumns(tx: WriteTx, id: number, columns: Columns): Promise<void> {
  await tx.sql
    .updateTable("users")
    .set(columns)
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
}

/** Names the clash, politely; the unique indexes are behind it. */
async function checkUnique(tx: WriteTx, columns: Columns, ownId = 0): Promise<void> {
  const { email_key = "", ext_uid = null } = columns;
  const others = await tx.sql
    .selectFrom("users")
    .select(["email_key", "ext_uid"])
    .where("company_id", "=", tx.company.id)
    .where("id", "<>", ownId)
    .where((eb) => eb.or([eb("email_key", "=", email_key), eb("ext_uid", "=", ext_uid)]))
    .execute();
  const errors: FieldError[] = [];
  if (others.some((other) => other.email_key === email_key)) {
    errors.push({ field: "email", message: "is taken by another user" });
  }
  if (ext_uid !== null && others.some((other) => other.ext_uid === ext_uid)) {
    errors.push({ field: "ext_uid", message: "is taken by another user" });
  }
  if (errors.length > 0) throw invalid(...errors);
}
