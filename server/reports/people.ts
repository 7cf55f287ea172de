import { sql } from "kysely";
import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { type CursorPage, cutCursorPage, idAfter } from "../http/cursor.ts";
import { notFound } from "../http/problem.ts";
import type { CompanyReport, PeopleReport, PeopleReportList } from "./schema.ts";
import { averageSeconds, isOfPeople, type People, summarise, toSummary } from "./summary.ts";

/** What became of all assignments that the viewer's privilege reaches. */
export async function reportOnCompany(tx: Tx, people: People): Promise<Static<typeof CompanyReport>> {
  return { summary: await summariseOf(tx, people) };
}

/** What became of what a user is assigned. @throws Problem 404 */
export async function reportOnUser(tx: Tx, user_id: number): Promise<Static<typeof PeopleReport>> {
  const [user] = await readUsers(tx, { after: user_id - 1, limit: 1, group_id: undefined });
  if (user?.id !== user_id) throw notFound("User");
  return reportOf(tx, user);
}

/** What became of what the members of a group are assigned, by whatever way. @throws Problem 404 */
export async function reportOnGroup(tx: Tx, group_id: number): Promise<Static<typeof PeopleReport>> {
  const [group] = await readGroups(tx, { after: group_id - 1, limit: 1 });
  if (group?.id !== group_id) throw notFound("Group");
  return { ...group, summary: await summariseOf(tx, { group_id }) };
}

/** A page of the reports on users, by id. */
export async function listUserReports(
  tx: Tx,
  page: CursorPage,
  { group_id }: People,
): Promise<Static<typeof PeopleReportList>> {
  const rows = await readUsers(tx, { after: idAfter(page), limit: page.limit + 1, group_id });
  const { data, next } = cutCursorPage(page, rows, { position: ({ id }) => [id], show: (row) => row });
  return { data: await Promise.all(data.map((user) => reportOf(tx, user))), next };
}

/** A page of the reports on groups, by id. */
export async function listGroupReports(tx: Tx, page: CursorPage): Promise<Static<typeof PeopleReportList>> {
  const rows = await readGroups(tx, { after: idAfter(page), limit: page.limit + 1 });
  const { data, next } = cutCursorPage(page, rows, { position: ({ id }) => [id], show: (row) => row });
  const show = async (group: Named) => ({ ...group, summary: await summariseOf(tx, { group_id: group.id }) });
  return { data: await Promise.all(data.map(show)), next };
}

export interface Named {
  readonly id: number;
  readonly name: string;
}

/** Users whose results the viewer may see, by id. */
export async function readUsers(
  tx: Tx,
  asked: {
    readonly after: number | undefined;
    readonly limit: number;
    readonly group_id: number | undefined;
  },
): Promise<Named[]> {
  return tx.sql
    .selectFrom("users")
    .select(["id", "name"])
    .where("company_id", "=", tx.company.id)
    .where("id", ">", asked.after ?? 0)
    .where(sql<boolean>`${isOfPeople(tx, asked, sql.ref<number>("users.id"))}`)
    .orderBy("id")
    .limit(asked.limit)
    .execute();
}

/** The report on a user who may be seen. */
export async function reportOf(tx: Tx, user: Named): Promise<Static<typeof PeopleReport>> {
  const [row, seconds] = await Promise.all([
    summarise(tx, sql`assignee_id = ${user.id}`),
    averageSeconds(tx, sql`user_id = ${user.id}`),
  ]);
  return { ...user, summary: toSummary(row, seconds) };
}

/** Groups that the viewer may have reports of: all, or those whose members they see. */
async function readGroups(
  tx: Tx,
  { after, limit }: { readonly after: number | undefined; readonly limit: number },
): Promise<Named[]> {
  const isReached =
    tx.viewer.scope("reports.read") === "all"
      ? sql<boolean>`true`
      : sql<boolean>`exists (
          select from memberships
          where company_id = ${tx.company.id} and group_id = groups.id and role = 'manager'
            and user_id = ${tx.viewer.user_id} and ${tx.viewer.scope("reports.read") === "managed"}
        )`;
  return tx.sql
    .selectFrom("groups")
    .select(["id", "name"])
    .where("company_id", "=", tx.company.id)
    .where("id", ">", after ?? 0)
    .where(isReached)
    .orderBy("id")
    .limit(limit)
    .execute();
}

async function summariseOf(tx: Tx, people: People) {
  const [row, seconds] = await Promise.all([
    summarise(tx, isOfPeople(tx, people, sql.ref<number>("assignments.assignee_id"))),
    averageSeconds(tx, isOfPeople(tx, people, sql.ref<number>("attempts.user_id"))),
  ]);
  return toSummary(row, seconds);
}
