import { sql } from "kysely";
import type { Tx } from "../../db/db.ts";
import { groupSection, weeklyMail, type WeeklyGroup } from "../../groups/mail-weekly.ts";
import { startOfDate, startOfToday } from "../../time.ts";
import { maySee, REPORTS_OF_GROUPS } from "../administrators.ts";
import { markFacts } from "../rendering/facts.ts";
import { shiftDate } from "../pace.ts";
import { factText, type Teller, teller } from "./telling.ts";

const WEEK_DAYS = 7;
/** Groups that a mail speaks of: more nobody reads in one. Those with most that is overdue come first. */
const MOST_GROUPS = 20;

/** Tells managers how their groups did in the week before the Monday that the notice is of. */
export const weeklyTellers: readonly Teller[] = [
  teller(weeklyMail, async (tx, notices, { user_id, locale }) => {
    if (!(await maySee(tx, user_id, REPORTS_OF_GROUPS))) return [];
    const known = [];
    for (const notice of notices) {
      const monday = factText(notice, "monday");
      const groups = await selectGroups(tx, { user_id, monday });
      // A week in which nothing was done and nothing is late is no news.
      if (!groups.some(({ completed, overdue }) => completed + overdue > 0)) continue;
      const sections = groups.map((group) => groupSection(locale, markFacts(group)));
      const url = `${tx.company.base_url}/groups`;
      known.push({ key: notice.key, facts: { groups }, url, about: monday, sections });
    }
    return known;
  }),
];

/** The numbers of a manager's groups. What a member of two of them did counts in both. */
async function selectGroups(
  tx: Tx,
  { user_id, monday }: { readonly user_id: number; readonly monday: string },
): Promise<WeeklyGroup[]> {
  const company_id = tx.company.id;
  const { time_zone } = tx.company;
  const { rows } = await sql<WeeklyGroup>`
    select groups.name, count(distinct member.user_id)::integer as members,
      (count(assignment.id) filter (
        where assignment.status = 'Completed'
          and assignment.completed_at >= ${startOfDate(shiftDate(monday, -WEEK_DAYS), time_zone)}
          and assignment.completed_at < ${startOfDate(monday, time_zone)}
      ))::integer as completed,
      (count(assignment.id) filter (
        where assignment.status = 'Incomplete' and assignment.due_by < ${startOfToday(tx.now, time_zone)}
      ))::integer as overdue
    from memberships managing
    join groups on groups.company_id = ${company_id} and groups.id = managing.group_id and groups.archived_at is null
    join memberships member on member.company_id = ${company_id} and member.group_id = groups.id
      and member.role = 'member'
    join users on users.company_id = ${company_id} and users.id = member.user_id and users.archived_at is null
    left join assignments assignment on assignment.company_id = ${company_id} and assignment.assignee_id = users.id
    where managing.company_id = ${company_id} and managing.user_id = ${user_id} and managing.role = 'manager'
    group by groups.id, groups.name
    order by overdue desc, completed desc, groups.name, groups.id
    limit ${MOST_GROUPS}`.execute(tx.sql);
  return rows;
}
