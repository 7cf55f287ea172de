import { sql } from "kysely";
import type { Company } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import type { Database, Tx, WriteTx } from "../db/db.ts";
import { getNewest } from "../events/feed.ts";
import { type MailedEvent, mailedTypes, toNotices } from "./from-events.ts";
import { tellNewVersions } from "./new-versions.ts";
import { queueMail } from "./notices.ts";
import { GATHER_MS, type MailOptions } from "./options.ts";

/** Events that one transaction looks at. */
const PAGE_EVENTS = 1_000;
/** What has happened longer ago, while no mailer ran, is no news any more. */
const MOST_AGE_DAYS = 7;
const DAY_MS = 86_400_000;

/**
 * Makes notices of a company's new events. It goes on from where it was, and moves that in the transaction of the
 * notices: each event is looked at once, whoever runs and however often they are killed.
 * @returns how many notices are to go out at once.
 */
export async function followForMails(
  database: Database,
  company: Company,
  options: Pick<MailOptions, "gatherMs">,
): Promise<number> {
  const gatherMs = options.gatherMs ?? GATHER_MS;
  let urgent = 0;
  await tellNewVersions(database, company, gatherMs);
  while (await database.read(company, hasNews)) {
    urgent += await database.write(company, commandActor, (tx) => followSome(tx, gatherMs));
  }
  return urgent;
}

/** A look without a lock: most often there is nothing new. */
async function hasNews(tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    select from counters
    where company_id = ${tx.company.id} and kind = 'events' and last_id > coalesce((
      select position from mail_state where company_id = ${tx.company.id}
    ), 0)`.execute(tx.sql);
  return rows.length > 0;
}

async function followSome(tx: WriteTx, gatherMs: number): Promise<number> {
  const position = await lockPosition(tx);
  const until = Math.min(await getNewest(tx), position + PAGE_EVENTS);
  const events = await selectEvents(tx, { after: position, until });
  const notices = await toNotices(tx, events, gatherMs);
  await queueMail(tx, notices);
  await tx.sql
    .updateTable("mail_state")
    .set({ position: until })
    .where("company_id", "=", tx.company.id)
    .execute();
  return notices.filter(({ pace }) => pace === "alone").length;
}

/** Two who follow at once take turns. */
async function lockPosition(tx: WriteTx): Promise<number> {
  const company_id = tx.company.id;
  await tx.sql
    .insertInto("mail_state")
    .values({ company_id, position: 0 })
    .onConflict((conflict) => conflict.column("company_id").doNothing())
    .execute();
  const { position } = await tx.sql
    .selectFrom("mail_state")
    .select("position")
    .where("company_id", "=", company_id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return position;
}

async function selectEvents(
  tx: WriteTx,
  { after, until }: { readonly after: number; readonly until: number },
): Promise<MailedEvent[]> {
  const since = new Date(tx.now.getTime() - MOST_AGE_DAYS * DAY_MS).toISOString();
  const { rows } = await sql<MailedEvent>`
    select id, type, resource_id, user_id, data, previous
    from events
    where company_id = ${tx.company.id} and id > ${after} and id <= ${until} and notify
      and type = any(${mailedTypes}::text[]) and occurred_at >= ${since}
    order by id`.execute(tx.sql);
  return rows;
}
