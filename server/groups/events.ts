import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import type { Followed } from "../events/changes.ts";
import type { Row } from "./memberships.ts";
import { groupColumns, type GroupRow, toGroupProfile } from "./show.ts";

/** Groups as events tell of them; of who is in them `membership.*` tells. */
export const groupEvents: Followed = {
  name: "group",
  async read(tx, ids) {
    const rows = await selectGroups(tx, { company_id: tx.company.id, ids });
    return new Map(rows.map((row) => [row.id, { ...toGroupProfile(row) }]));
  },
};

const selectGroups = prepare<{ company_id: number; ids: readonly number[] }, GroupRow>((db, place) =>
  db
    .selectFrom("groups")
    .select(groupColumns)
    .where("groups.company_id", "=", place("company_id"))
    .where("groups.id", "=", sql<number>`any(${place("ids")}::bigint[])`)
    .orderBy("groups.id"),
);

/** Notes that people have come into groups, and have left them, whoever or whatever has made them. */
export function noteMemberships(tx: WriteTx, what: "created" | "deleted", rows: readonly Row[]): void {
  for (const { group_id, user_id, role } of rows) {
    const data = { group_id, user_id, role };
    tx.changes.add({ type: `membership.${what}`, resource_id: null, user_id, data });
  }
}
