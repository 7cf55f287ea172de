import type { Tx } from "../db/db.ts";
import { listCustomData } from "../users/custom-fields.ts";
import { listGroupNames } from "../users/groups.ts";
import { selectUsers, toUserSummary } from "../users/show.ts";
import { pagesById } from "./pages.ts";
import { exactTime, exactZonedTimeOrNull } from "./times.ts";

/** Rows that are read at once. */
const PAGE_ROWS = 1_000;

/** All roles, the built-in ones too. */
export async function* exportRoles(tx: Tx) {
  yield* pagesById(PAGE_ROWS, (after, limit) =>
    tx.sql
      .selectFrom("roles")
      .select(["id", "name"])
      .where("company_id", "=", tx.company.id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute(),
  );
}

export async function* exportCustomUserFields(tx: Tx) {
  yield* pagesById(PAGE_ROWS, (after, limit) =>
    tx.sql
      .selectFrom("custom_user_fields")
      .select(["id", "name"])
      .where("company_id", "=", tx.company.id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute(),
  );
}

/** Users as version 1.1 lists them, and what no answer shows. */
export async function* exportUsers(tx: Tx) {
  const pages = pagesById(PAGE_ROWS, (after, limit) =>
    selectUsers(tx)
      .select(["users.mobile_phone_number", "users.created_at", "users.sso_id"])
      .where("users.id", ">", after)
      .orderBy("users.id")
      .limit(limit)
      .execute(),
  );
  for await (const rows of pages) {
    const ids = rows.map(({ id }) => id);
    const [custom, groups, uses] = await Promise.all([
      listCustomData(tx, ids),
      listGroupNames(tx, ids),
      listLibraryUses(tx, ids),
    ]);
    yield rows.map((row) =>
      Object.assign(toUserSummary(tx, row), {
        archived_at: exactZonedTimeOrNull(row.archived_at, tx.company.time_zone),
        custom_user_field_data: custom.get(row.id) ?? [],
        mobile_phone_number: row.mobile_phone_number,
        groups: groups.get(row.id) ?? { member: [], manager: [] },
        created_at: exactTime(row.created_at),
        sso_id: row.sso_id,
        library_uses: uses.get(row.id) ?? [],
      }),
    );
  }
}

/** Groups as their details are, but of their people only the ids. One at a time: everybody may be in a group. */
export async function* exportGroups(tx: Tx) {
  const pages = pagesById(PAGE_ROWS, (after, limit) =>
    tx.sql
      .selectFrom("groups")
      .select(["id", "name", "archived_at", "archived_by_user_id", "created_at"])
      .where("company_id", "=", tx.company.id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute(),
  );
  for await (const rows of pages) {
    for (const { id, name, archived_at, archived_by_user_id, created_at } of rows) {
      yield [
        {
          id,
          resource_type: "group",
          name,
          archived_at: exactZonedTimeOrNull(archived_at, tx.company.time_zone),
          archived_by_user_id,
          ...(await listPeople(tx, id)),
          created_at: exactTime(created_at),
        },
      ];
    }
  }
}

async function listPeople(tx: Tx, group_id: number) {
  const rows = await tx.sql
    .selectFrom("memberships")
    .select(["role", "user_id as id"])
    .where("company_id", "=", tx.company.id)
    .where("group_id", "=", group_id)
    .orderBy("user_id", "desc")
    .execute();
  const { member: members = [], manager: managers = [] } = Object.groupBy(rows, ({ role }) => role);
  return { members: members.map(({ id }) => ({ id })), managers: managers.map(({ id }) => ({ id })) };
}

async function listLibraryUses(tx: Tx, userIds: readonly number[]) {
  const rows = await tx.sql
    .selectFrom("library_uses")
    .select(["user_id", "assignable_type", "assignable_id", "views", "completions"])
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("user_id", "=", eb.fn.any(eb.val([...userIds]))))
    .execute();
  const uses = rows.toSorted(
    (a, b) => a.assignable_id - b.assignable_id || (a.assignable_type < b.assignable_type ? -1 : 1),
  );
  return new Map(
    [...Map.groupBy(uses, ({ user_id }) => user_id)].map(([user_id, own]) => [
      user_id,
      own.map(({ user_id: _user_id, ...use }) => use),
    ]),
  );
}
