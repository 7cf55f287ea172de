import { sql } from "kysely";
import type { Company } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import { audit } from "../db/audit.ts";
import { kinds, lockCounters } from "../db/counters.ts";
import type { Database, WriteTx } from "../db/db.ts";
import { Changes } from "../events/changes.ts";
import { checkRules, fillGroups } from "../groups/refill.ts";
import { importAssignments } from "./assignments.ts";
import { importCompany } from "./company.ts";
import { importCourses, importGroupAssignments, importLessons, importPaths, importTags } from "./content.ts";
import { giveNewId, setFirstAdminAside, settleFirstAdmin } from "./first-admin.ts";
import { type Import, LargestIds } from "./part.ts";
import { importFurther } from "./further.ts";
import { type CorePart, furtherParts } from "./parts.ts";
import { importPathItems } from "./path-items.ts";
import {
  importCustomUserFields,
  importGroups,
  importLibraryUses,
  importRoles,
  importUsers,
} from "./people.ts";
import { moveCountersOn, recount } from "./recount.ts";
import { type Source, Spool } from "./spool.ts";

/** How many of each the file held. */
export type ImportSummary = Readonly<Record<CorePart, number>>;

/**
 * Brings a bundle into a company: all of it, or nothing. Ids are kept, so the company can have none of them; but its
 * first administrator gives way. Neither passwords nor API keys come with a bundle.
 * @param database without a time limit for statements.
 * @throws OperatorError for the first wrong value: its message begins with the JSON pointer of the value.
 */
export async function importBundle(
  database: Database,
  company: Company,
  source: Source,
): Promise<ImportSummary> {
  await using spool = await Spool.read(source);
  // What it notes is dropped: nobody is told of what happened elsewhere, and long ago.
  return await database.write(company, commandActor, (tx) =>
    importSpool({ ...tx, changes: new Changes() }, spool),
  );
}

async function importSpool(tx: WriteTx, spool: Spool): Promise<ImportSummary> {
  await prepare(tx);
  const job: Import = { tx, spool, at: await lockCounters(tx, ...kinds), ids: new LargestIds() };
  await importCompany(job);
  const roles = await importRoles(job);
  const custom_user_fields = await importCustomUserFields(job);
  const admin = await setFirstAdminAside(tx);
  const users = await importUsers(job, admin);
  const isSettled = admin === undefined || (await settleFirstAdmin(tx, admin));
  const groups = await importGroups(job);
  const tags = await importTags(job);
  const lessons = await importLessons(job);
  const paths = await importPaths(job);
  await importPathItems(job);
  const courses = await importCourses(job);
  await importLibraryUses(job);
  const group_assignments = await importGroupAssignments(job);
  const { count: assignments, updatedAt } = await importAssignments(job);
  for (const part of furtherParts) await importFurther(job, part);
  await moveCountersOn(tx, { ids: job.ids.entries(), at: updatedAt });
  const newAdminId = isSettled ? null : await giveNewId(tx, admin, updatedAt);
  await sql`set local enable_seqscan = on`.execute(tx.sql);
  await sql`select analyze_tables()`.execute(tx.sql);
  await recount(tx);
  await fillGroups(tx, await checkRules(tx), updatedAt);
  const counts = { roles, custom_user_fields, users, groups, group_assignments };
  const summary = { ...counts, tags, lessons, paths, courses, assignments };
  await audit(tx, {
    action: "import_bundle",
    resource_type: "company",
    resource_id: tx.company.id,
    before: newAdminId === null ? null : { first_admin_id: admin?.id },
    after: { ...summary, ...(newAdminId === null ? {} : { first_admin_id: newAdminId }) },
    at: job.at,
  });
  return summary;
}

/** For this transaction alone. */
async function prepare(tx: WriteTx): Promise<void> {
  // PostgreSQL decides once for a connection how to look up what a foreign key refers to, as a rule while the tables
  // that are being filled are still small, and would go on to read them from end to end.
  await sql`set local enable_seqscan = off`.execute(tx.sql);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx.sql);
}
