import { sql } from "kysely";
import type { Static } from "typebox";
import { getTotal, totalOf } from "../db/counters.ts";
import type { Tx } from "../db/db.ts";
import { findStart } from "../db/lists.ts";
import { prepare } from "../db/prepare.ts";
import { cutPage, type Page, type PageRequest, readPosition } from "../http/page.ts";
import { listCustomData } from "./custom-fields.ts";
import { listGroupNames } from "./groups.ts";
import type { ListedUser, UserFilters, UserSummary } from "./schema.ts";
import { selectUsers, toUserSummary, type UserRow } from "./show.ts";
import { toEmailKey } from "./users.ts";

/** A page of users as version 1 lists them, the newest first. */
export async function listUsers(
  tx: Tx,
  page: PageRequest,
  filters: UserFilters,
): Promise<Page<Static<typeof UserSummary>>> {
  const { rows, ...found } = await findPage(tx, page, filters);
  return { ...found, rows: rows.map((row) => toUserSummary(tx, row)) };
}

/** A page of users as version 1.1 lists them: with custom fields, groups and mobile number. */
export async function listUsersInFull(
  tx: Tx,
  page: PageRequest,
  filters: UserFilters,
): Promise<Page<Static<typeof ListedUser>>> {
  const { rows, ...found } = await findPage(tx, page, filters);
  const ids = rows.map(({ id }) => id);
  const [custom, groups] = await Promise.all([listCustomData(tx, ids), listGroupNames(tx, ids)]);
  const toListedUser = (row: ListedRow) => ({
    ...toUserSummary(tx, row),
    custom_user_field_data: custom.get(row.id) ?? [],
    mobile_phone_number: row.mobile_phone_number,
    groups: groups.get(row.id) ?? { member: [], manager: [] },
  });
  return { ...found, rows: rows.map(toListedUser) };
}

type ListedRow = UserRow & { readonly mobile_phone_number: string | null };

async function findPage(tx: Tx, page: PageRequest, filters: UserFilters): Promise<Page<ListedRow>> {
  const conditions = toConditions(tx, filters);
  const { total, rows } = await (conditions.length === 0
    ? findAll(tx, page)
    : findFiltered(tx, page, conditions));
  return cutPage(page, { total, rows }, ({ id }) => id);
}

/** What a page is cut from: the rows from its first on, with one to spare, and the total of the list. */
interface Found {
  readonly total: number;
  readonly rows: readonly ListedRow[];
}

async function findAll(tx: Tx, page: PageRequest): Promise<Found> {
  const after = readPosition(page);
  const start =
    after === undefined
      ? await findStart(tx, "users", { offset: page.offset, order: "desc" })
      : { id: after, skip: 0 };
  const rows = await selectPage(tx, {
    company_id: tx.company.id,
    below: start.id ?? Number.MAX_SAFE_INTEGER,
    limit: page.per_page + 1,
    offset: start.skip,
  });
  return { total: rows[0]?.total ?? (await getTotal(tx, "users")), rows };
}

const selectPage = prepare<
  { company_id: number; below: number; limit: number; offset: number },
  ListedRow & { readonly total: number }
>((db, place) =>
  selectUsers({ sql: db, company: { id: place("company_id") } })
    .select(["users.mobile_phone_number", totalOf("users", place("company_id")).as("total")])
    .where("users.id", "<", place("below"))
    .orderBy("users.id", "desc")
    .limit(place("limit"))
    .offset(place("offset")),
);

async function findFiltered(tx: Tx, page: PageRequest, conditions: readonly Condition[]): Promise<Found> {
  const after = readPosition(page);
  let query = selectUsers(tx).select("users.mobile_phone_number");
  for (const condition of conditions) query = query.where(condition);
  if (after !== undefined) query = query.where("users.id", "<", after);
  const [total, rows] = await Promise.all([
    countUsers(tx, conditions),
    query
      .orderBy("users.id", "desc")
      .limit(page.per_page + 1)
      .offset(after === undefined ? page.offset : 0)
      .execute(),
  ]);
  return { total, rows };
}

async function countUsers(tx: Tx, conditions: readonly Condition[]): Promise<number> {
  let query = tx.sql
    .selectFrom("users")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("users.company_id", "=", tx.company.id);
  for (const condition of conditions) query = query.where(condition);
  const { total } = await query.executeTakeFirstOrThrow();
  return total;
}

type Condition = ReturnType<typeof sql<boolean>>;

/** What each filter asks of a row of users; together they are joined with AND. */
function toConditions(tx: Tx, filters: UserFilters): Condition[] {
  const conditions: Condition[] = [];
  for (const [key, value] of Object.entries(filters)) {
    const field = /^filter\[custom_user_field\]\[([0-9]+)\]$/.exec(key)?.[1];
    if (field !== undefined) {
      // No id is as long as what PostgreSQL would refuse as too large a number.
      const id = Math.min(Number(field), Number.MAX_SAFE_INTEGER);
      conditions.push(sql<boolean>`exists (
        select from custom_user_field_values as value
        where value.company_id = ${tx.company.id} and value.user_id = users.id
          and value.custom_user_field_id = ${id} and value.value = ${value})`);
    }
  }
  const email = filters["filter[email]"];
  if (email !== undefined) conditions.push(sql<boolean>`users.email_key = ${toEmailKey(email)}`);
  const extUid = filters["filter[ext_uid]"];
  if (extUid !== undefined) conditions.push(sql<boolean>`users.ext_uid = ${extUid}`);
  const ssoId = filters["filter[sso_id]"];
  if (ssoId !== undefined) conditions.push(sql<boolean>`users.sso_id = ${ssoId}`);
  const since = filters["filter[created_since]"];
  if (since !== undefined) conditions.push(sql<boolean>`users.created_at >= ${`${since} 00:00:00+00`}`);
  if (filters["filter[active_only]"] === "true") conditions.push(sql<boolean>`users.archived_at is null`);
  return conditions;
}
