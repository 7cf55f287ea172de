import { type RawBuilder, sql, type SqlBool } from "kysely";
import { getTotal } from "../db/counters.ts";
import type { Tx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import { type CursorPage, cutCursorPage, type Position, readCursorPage } from "../http/cursor.ts";
import { invalid } from "../http/problem.ts";
import { parseMoment, utcTimeOrNull } from "../time.ts";
import { listCustomData } from "./custom-fields.ts";
import { listGroupNames } from "./groups.ts";
import { type ProfileRow, selectProfiles, toProfile } from "./show.ts";
import { toEmailKey } from "./users.ts";
import type { UserProfile, UserProfileQuery, UserSort } from "./v2-schema.ts";
import { isVisibleUser, reachesEverybody } from "./visible.ts";

/**
 * A page of the users that the viewer may see.
 * @throws Problem 422 for a cursor of another list or order.
 */
export async function listProfiles(
  tx: Tx,
  query: UserProfileQuery,
): Promise<{ data: UserProfile[]; next: string | null; total?: number }> {
  const order = orders[query.sort ?? "-id"];
  const page = readCursorPage(query, order.size);
  const conditions = toConditions(tx, query);
  const [rows, total] = await Promise.all([
    isPlain(query, conditions) ? readNewest(tx, page) : readRows(tx, { page, order, conditions }),
    query.count === true ? countProfiles(tx, conditions) : undefined,
  ]);
  const include = await readIncluded(
    tx,
    query,
    rows.map(({ id }) => id),
  );
  const show = (row: ListedRow) => ({
    ...toProfile(row),
    ...include(row.id),
    last_sign_in_at: utcTimeOrNull(row.last_sign_in_at),
  });
  const cut = cutCursorPage(page, rows, { position: order.position, show });
  return total === undefined ? cut : { ...cut, total };
}

type Condition = RawBuilder<SqlBool>;

/** The list as it is asked for most: its statement is made once. */
function isPlain({ sort = "-id" }: UserProfileQuery, conditions: readonly Condition[]): boolean {
  return sort === "-id" && conditions.length === 0;
}

function readNewest(tx: Tx, { after, limit }: CursorPage): Promise<ListedRow[]> {
  const below = after === undefined ? Number.MAX_SAFE_INTEGER : readId(after[0]);
  return selectNewest(tx, { company_id: tx.company.id, below, limit: limit + 1 });
}

const selectNewest = prepare<{ company_id: number; below: number; limit: number }, ListedRow>((db, place) =>
  selectProfiles({ sql: db, company: { id: place("company_id") } })
    .select("users.last_sign_in_at")
    .where("users.id", "<", place("below"))
    .orderBy("users.id", "desc")
    .limit(place("limit")),
);

function readRows(
  tx: Tx,
  { page, order, conditions }: { page: CursorPage; order: Order; conditions: readonly Condition[] },
): Promise<ListedRow[]> {
  let select = selectProfiles(tx).select("users.last_sign_in_at").orderBy(order.by);
  for (const condition of conditions) select = select.where(condition);
  if (page.after !== undefined) select = select.where(order.after(page.after));
  return select.limit(page.limit + 1).execute();
}

interface ListedRow extends ProfileRow {
  readonly last_sign_in_at: string | null;
}

/** An order of the list: what a position in it is made of, and what stands behind one. */
interface Order {
  readonly size: number;
  readonly by: RawBuilder<unknown>;
  readonly after: (position: Position) => Condition;
  readonly position: (row: ListedRow) => Position;
}

const orders: Record<UserSort, Order> = {
  id: {
    size: 1,
    by: sql`users.id`,
    after: ([id]) => sql`users.id > ${readId(id)}`,
    position: ({ id }) => [id],
  },
  "-id": {
    size: 1,
    by: sql`users.id desc`,
    after: ([id]) => sql`users.id < ${readId(id)}`,
    position: ({ id }) => [id],
  },
  name: {
    size: 2,
    by: sql`users.name, users.id`,
    after: ([name, id]) => sql`(users.name, users.id) > (${String(name)}, ${readId(id)})`,
    position: ({ name, id }) => [name, id],
  },
  "-created_at": {
    size: 2,
    by: sql`users.created_at desc, users.id desc`,
    after: ([at, id]) => sql`(users.created_at, users.id) < (${readTime(at)}, ${readId(id)})`,
    position: ({ created_at, id }) => [created_at, id],
  },
};

function readId(part: Position[number] | undefined): number {
  if (typeof part !== "number" || !Number.isSafeInteger(part)) throw wrongCursor();
  return part;
}

function readTime(part: Position[number] | undefined): string {
  const at = parseMoment(String(part));
  if (at === undefined) throw wrongCursor();
  return at;
}

function wrongCursor(): Error {
  return invalid({ field: "cursor", message: "is no cursor of this list in this order" });
}

/** What the filters and the viewer's reach ask of a row; none where the list is all users. */
function toConditions(tx: Tx, query: UserProfileQuery): Condition[] {
  const conditions: Condition[] = [];
  if (!reachesEverybody(tx.viewer, "users.read")) {
    conditions.push(isVisibleUser(tx, "users.read", sql.ref<number>("users.id")));
  }
  const email = query["filter[email]"];
  if (email !== undefined) conditions.push(sql`users.email_key = ${toEmailKey(email)}`);
  for (const column of ["ext_uid", "sso_id", "role_id"] as const) {
    const value = query[`filter[${column}]`];
    if (value !== undefined) conditions.push(sql`${sql.ref(`users.${column}`)} = ${value}`);
  }
  const group_id = query["filter[group_id]"];
  if (group_id !== undefined) {
    conditions.push(sql`exists (
      select from memberships as held
      where held.company_id = ${tx.company.id} and held.group_id = ${group_id}
        and held.role = 'member' and held.user_id = users.id)`);
  }
  const archived = query["filter[archived]"];
  if (archived === true) conditions.push(sql`users.archived_at is not null`);
  if (archived === false) conditions.push(sql`users.archived_at is null`);
  const beginning = query["filter[q]"];
  if (beginning !== undefined) conditions.push(beginsWith(beginning));
  return conditions;
}

/** Both sides of LIKE are made small by PostgreSQL, so that they are made so alike. */
function beginsWith(text: string): Condition {
  const escaped = text.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return sql`(lower(users.name) like lower(${`${escaped}%`}) or users.email_key like ${`${toEmailKey(escaped)}%`})`;
}

async function countProfiles(tx: Tx, conditions: readonly Condition[]): Promise<number> {
  if (conditions.length === 0) return getTotal(tx, "users");
  let query = tx.sql
    .selectFrom("users")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("users.company_id", "=", tx.company.id);
  for (const condition of conditions) query = query.where(condition);
  return (await query.executeTakeFirstOrThrow()).total;
}

type Included = Pick<UserProfile, "groups" | "custom_user_fields">;

/** What `include` asks for of these users, by user. */
async function readIncluded(
  tx: Tx,
  { include = "" }: UserProfileQuery,
  ids: readonly number[],
): Promise<(id: number) => Included> {
  const asked = new Set(include.split(","));
  const [groups, custom] = await Promise.all([
    asked.has("groups") ? listGroupNames(tx, ids) : undefined,
    asked.has("custom_user_fields") ? listCustomData(tx, ids) : undefined,
  ]);
  return (id) => ({
    ...(groups && { groups: groups.get(id) ?? { member: [], manager: [] } }),
    ...(custom && { custom_user_fields: custom.get(id) ?? [] }),
  });
}
