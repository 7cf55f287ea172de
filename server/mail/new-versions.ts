import { sql } from "kysely";
import type { Company } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import type { Database, Tx, WriteTx } from "../db/db.ts";
import { type NewNotice, queueMail } from "./notices.ts";

/** A version whose author asked that learners are told of it. */
interface Version {
  readonly assignable_type: "Lesson" | "LearningPaths::Path";
  readonly assignable_id: number;
  readonly number: number;
  readonly is_news: boolean;
}

/** A version that is older is no news: it was published while no mailer ran, or came with an import. */
const MOST_AGE_DAYS = 7;
const DAY_MS = 86_400_000;
/** Learners whose notices are written with one statement. */
const PAGE_ROWS = 1_000;

/** Notes, once for each version, that who is assigned it and has not completed it is told of it. */
export async function tellNewVersions(database: Database, company: Company, gatherMs: number): Promise<void> {
  const versions = await database.read(company, listUntold);
  for (const version of versions) {
    await database.write(company, commandActor, (tx) => tellVersion(tx, version, gatherMs));
  }
}

async function listUntold(tx: Tx): Promise<Version[]> {
  const since = new Date(tx.now.getTime() - MOST_AGE_DAYS * DAY_MS).toISOString();
  const { rows } = await sql<Version>`
    select 'Lesson' as assignable_type, lesson_id as assignable_id, number, published_at >= ${since} as is_news
    from lesson_versions
    where company_id = ${tx.company.id} and learners = 'tell' and told_at is null
    union all
    select 'LearningPaths::Path', path_id, number, published_at >= ${since} from path_versions
    where company_id = ${tx.company.id} and learners = 'tell' and told_at is null`.execute(tx.sql);
  return rows;
}

async function tellVersion(tx: WriteTx, version: Version, gatherMs: number): Promise<void> {
  if (!(await markTold(tx, version)) || !version.is_news) return;
  const send_at = new Date(tx.now.getTime() + gatherMs).toISOString();
  let learners = await listLearners(tx, version, 0);
  for (let last = learners.at(-1); last !== undefined; last = learners.at(-1)) {
    await queueMail(
      tx,
      learners.map((learner) => toNotice(version, learner, send_at)),
    );
    learners = await listLearners(tx, version, last.user_id);
  }
}

function toNotice({ number }: Version, { id, user_id }: Learner, send_at: string): NewNotice {
  const facts = { assignment_id: id };
  return { key: `version/${id}/${number}`, user_id, kind: "new_version", pace: "soon", facts, send_at };
}

interface Learner {
  /** Of their assignment. */
  readonly id: number;
  readonly user_id: number;
}

/** A page of those who are assigned it and have not completed it, in the order that people are locked in. */
async function listLearners(
  tx: WriteTx,
  { assignable_type, assignable_id }: Version,
  after: number,
): Promise<Learner[]> {
  return tx.sql
    .selectFrom("assignments")
    .select(["id", "assignee_id as user_id"])
    .where("company_id", "=", tx.company.id)
    .where("assignable_type", "=", assignable_type)
    .where("assignable_id", "=", assignable_id)
    .where("status", "=", "Incomplete")
    .where("assignee_id", ">", after)
    .orderBy("assignee_id")
    .limit(PAGE_ROWS)
    .execute();
}

/** @returns false where another has told it meanwhile. */
async function markTold(tx: WriteTx, { assignable_type, assignable_id, number }: Version): Promise<boolean> {
  const [table, column] =
    assignable_type === "Lesson"
      ? (["lesson_versions", "lesson_id"] as const)
      : (["path_versions", "path_id"] as const);
  const { rows } = await sql`
    update ${sql.table(table)} set told_at = ${tx.now.toISOString()}
    where company_id = ${tx.company.id} and ${sql.ref(column)} = ${assignable_id} and number = ${number}
      and told_at is null
    returning number`.execute(tx.sql);
  return rows.length > 0;
}
