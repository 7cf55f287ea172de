import { companyOfId, type Company, findCompany, listSubdomains } from "../companies/companies.ts";
import type { Actor, Database, WriteTx } from "../db/db.ts";
import type { Scope, Viewer } from "../privileges/privileges.ts";
import { applyRows, lockFor } from "./kinds.ts";
import { beginJob, endJob, findOpenJob, type OpenJob, setProgress } from "./open-jobs.ts";
import type { Outcome } from "./rows.ts";
import { listOpenRows, saveOutcomes } from "./worked-rows.ts";

/** Rows of one transaction: its locks last some hundred milliseconds, and as much is done again after a kill. */
const STEP_ROWS = 500;

export interface WorkOptions {
  /** Stops after the step that is under way; what is left is done the next time. */
  readonly signal?: AbortSignal;
  /** The company to work for; all of them without. */
  readonly company_id?: number;
}

/**
 * Works off the bulk jobs that wait, or that a process left behind when it ended. The rows say what is done: an outcome
 * is written in the transaction of what it tells, so that each row is done once, whoever works and however often they
 * are killed. Two who work at once take turns.
 */
export async function workBulkJobs(
  database: Database,
  { signal, company_id }: WorkOptions = {},
): Promise<void> {
  const ids =
    company_id === undefined ? (await listSubdomains(database)).map(({ company }) => company) : [company_id];
  for (const id of ids) {
    const company = await database.read(companyOfId(id), (tx) => findCompany(tx, ""));
    if (company !== undefined) await workJobs(database, company, signal);
  }
}

async function workJobs(
  database: Database,
  company: Company,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    const job = await database.read(company, findOpenJob);
    if (job === undefined || signal?.aborted === true) return;
    await workJob({ database, company, job, signal });
  }
}

interface Work {
  readonly database: Database;
  readonly company: Company;
  readonly job: OpenJob;
  readonly signal: AbortSignal | undefined;
}

async function workJob(work: Work): Promise<void> {
  const { database, company, job } = work;
  if (!(await database.write(company, actorOf(job), (tx) => beginJob(tx, job.id)))) return;
  if (job.mode === "row_by_row" && !job.dry_run) return workInSteps(work);
  return workAsOne(work);
}

/** The job acts as who made it, with the privileges that they had then. */
function actorOf({ actor }: OpenJob): Actor {
  const { type, id, user_id, viewer_id, request_id, address } = actor;
  const scopes = new Map<string, Scope>(actor.scopes.map(({ privilege, scope }) => [privilege, scope]));
  const viewer: Viewer = { user_id: viewer_id, scope: (privilege) => scopes.get(privilege) };
  return { type, id, user_id, request_id, viewer, ...(address !== null && { address }) };
}

async function workInSteps({ database, company, job, signal }: Work): Promise<void> {
  const step = async (tx: WriteTx): Promise<boolean> => {
    const locked = await lockFor(tx, job.kind);
    const rows = await listOpenRows(tx, job.id, { after: 0, limit: STEP_ROWS });
    if (rows.length > 0) await saveOutcomes(tx, job.id, await applyRows(tx, job.kind, { rows, locked }));
    const isLast = rows.length < STEP_ROWS;
    // Cancelled meanwhile: this step is undone, those before it stay.
    if (!(await setProgress(tx, job.id, rows.length))) throw new Ended();
    if (isLast) await endJob(tx, job.id, { status: "done", at: locked.at });
    return !isLast;
  };
  try {
    for (;;) {
      const goesOn = await database.write(company, actorOf(job), step);
      if (!goesOn || signal?.aborted === true) return;
    }
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  }
}

/** All rows in one transaction, which stands or falls: a dry run always falls, and only what it found is written. */
async function workAsOne({ database, company, job, signal }: Work): Promise<void> {
  let found: readonly Outcome[] = [];
  try {
    await database.write(company, actorOf(job), async (tx) => {
      const locked = await lockFor(tx, job.kind);
      found = await applyAll(tx, { database, company, job, signal }, locked);
      if (job.dry_run || isRefused(job, found)) throw new Undone();
      await saveOutcomes(tx, job.id, found);
      if (!(await setProgress(tx, job.id, 0))) throw new Ended();
      await endJob(tx, job.id, { status: "done", at: locked.at });
    });
  } catch (error) {
    if (error instanceof Ended) return;
    if (!(error instanceof Undone)) throw error;
    await database.write(company, actorOf(job), (tx) => noteUndone(tx, job, found));
  }
}

/** Nothing was done: the outcomes tell what would have been, or which rows are to blame. */
async function noteUndone(tx: WriteTx, job: OpenJob, found: readonly Outcome[]): Promise<void> {
  const isWhole = !isRefused(job, found);
  const told = isWhole ? found : found.filter(({ outcome }) => outcome === "refused");
  const undone = new Set(found.filter(({ outcome }) => outcome === "created").map(({ id }) => id));
  await saveOutcomes(
    tx,
    job.id,
    told.map((one) => (undone.has(one.id) ? { ...one, id: null } : one)),
  );
  const at = tx.now.toISOString();
  if (isWhole) return endJob(tx, job.id, { status: "done", at });
  const message = `${told.length} of ${job.total} rows are refused, so nothing was done: correct them, and send all again`;
  return endJob(tx, job.id, { status: "refused", at, message });
}

function isRefused({ mode }: OpenJob, found: readonly Outcome[]): boolean {
  return mode === "all_or_nothing" && found.some(({ outcome }) => outcome === "refused");
}

async function applyAll(
  tx: WriteTx,
  { database, company, job, signal }: Work,
  locked: Awaited<ReturnType<typeof lockFor>>,
): Promise<Outcome[]> {
  const found: Outcome[] = [];
  for (let after = 0; ;) {
    const rows = await listOpenRows(tx, job.id, { after, limit: STEP_ROWS });
    const last = rows.at(-1);
    if (last === undefined) return found;
    found.push(...(await applyRows(tx, job.kind, { rows, locked })));
    after = last.row;
    // Told outside of this transaction, which nobody sees into; and learned whether the job was cancelled.
    const progress = database.write(company, actorOf(job), (other) =>
      setProgress(other, job.id, rows.length),
    );
    if (signal?.aborted === true || !(await progress)) throw new Ended();
  }
}

/** The job has been ended by somebody else, or is to go on another time. */
class Ended extends Error {}

/** Takes the transaction back. */
class Undone extends Error {}
