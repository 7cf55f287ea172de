import { setTimeout as sleep } from "node:timers/promises";
import { type Company, walkCompanies } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import type { Database } from "../db/db.ts";
import { Lease } from "../db/leases.ts";
import { type Claim, claimNext, Unwritten } from "./claim.ts";
import { noteHandover, noteOutcome, noteUnwritten, WITHIN } from "./ends.ts";
import { gatherLetters } from "./letters.ts";
import { GATHER_MS, type MailOptions } from "./options.ts";
import type { MailTransport, SendOutcome } from "./transport/outcome.ts";

/** One process sends at a time, so that the pace is kept; one that is killed is followed by another after this. */
const LEASE_MS = 60_000;
/** So many letters that fail one after the other are the mail server's fault: the others wait for a later run. */
const MOST_FAILURES_IN_A_ROW = 10;
/** How long a queue is sent before it is looked what has come meanwhile. */
const ROUND_MS = 10_000;

/** A run of the sender. */
interface Run {
  readonly database: Database;
  readonly transport: MailTransport;
  readonly options: MailOptions;
  readonly lease: Lease;
  readonly signal: AbortSignal | undefined;
  readonly pace: () => Promise<void>;
  /** Whether the log has it that the server takes nothing: once is enough, however many letters wait. */
  isFaultTold: boolean;
}

/**
 * Sends what is due, of all companies in turn, no faster than is configured; a run ends when nothing is due any more.
 * While another process is at it, it leaves that to them. It may run at any time and be killed at any moment: no letter
 * is sent twice, and what may or may not have been accepted is noted as such.
 */
export async function sendMails(
  database: Database,
  transport: MailTransport,
  options: MailOptions & { readonly signal?: AbortSignal },
): Promise<void> {
  const lease = new Lease(database, { name: "mails", forMs: LEASE_MS, clock: options.clock });
  if (!(await lease.hold())) return;
  try {
    const pace = keepPace(options.perSecond);
    const { signal } = options;
    await sendInTurn({ database, transport, options, lease, pace, signal, isFaultTold: false });
  } finally {
    await lease.release();
  }
}

/** Rounds of gathering and sending, until one finds nothing: what is to go at once waits for no long queue to end. */
async function sendInTurn(run: Run): Promise<void> {
  let failures = 0;
  for (;;) {
    const round = { endsAtMs: performance.now() + ROUND_MS, turns: 0 };
    let companies = await listCompanies(run);
    while (companies.length > 0 && performance.now() < round.endsAtMs) {
      const busy: Company[] = [];
      for (const company of companies) {
        if (run.signal?.aborted === true || !(await run.lease.hold())) return;
        const done = await takeTurn(run, company);
        if (done === "nothing") continue;
        busy.push(company);
        round.turns += 1;
        if (done !== "settled") failures = done === "failed" ? failures + 1 : 0;
        if (failures >= MOST_FAILURES_IN_A_ROW) return;
      }
      companies = busy;
    }
    if (round.turns === 0) return;
  }
}

/** The companies, with the letters made of what is due in each. */
async function listCompanies(run: Run): Promise<Company[]> {
  const { database, options } = run;
  const companies: Company[] = [];
  for await (const company of walkCompanies(database, options.publicUrl)) {
    try {
      await gatherLetters(database, company, options.gatherMs ?? GATHER_MS);
      companies.push(company);
    } catch (error) {
      options.log?.(`The mails of company ${company.id} can't be gathered: ${String(error)}`);
    }
  }
  return companies;
}

/** How a turn ended: with what says that the server takes mails, with what may say that it does not, or with neither. */
type Turn = "answered" | "failed" | "settled" | "nothing";

/** Sends a company's next letter. An error of one company's keeps no other from sending. */
async function takeTurn(run: Run, company: Company): Promise<Turn> {
  const { database, options } = run;
  try {
    const claim = await database.write(company, commandActor, (tx) => claimNext(tx, options));
    if (claim === undefined) return "nothing";
    if (claim === "settled") return "settled";
    await run.pace();
    return await send(run, company, claim);
  } catch (error) {
    options.log?.(`A mail of company ${company.id} can't be sent: ${String(error)}`);
    if (!(error instanceof Unwritten)) return "nothing";
    await database.write(company, commandActor, (tx) => noteUnwritten(tx, error.mail));
    return "settled";
  }
}

/** Sends one letter. Nothing of the database is held meanwhile. */
async function send(run: Run, company: Company, claim: Claim): Promise<Turn> {
  const { database, transport, options } = run;
  let outcome: SendOutcome;
  try {
    outcome = await transport.send(claim.letter, () =>
      database.write(company, commandActor, (tx) => noteHandover(tx, claim)),
    );
  } catch (error) {
    // What is thrown says that nothing was accepted: the last dot has not been sent.
    options.log?.(`The mail ${claim.id} of company ${company.id} can't be sent: ${String(error)}`);
    outcome = { kind: "try_again", fault: "letter", reason: WITHIN };
  }
  tellFault(run, outcome);
  await database.write(company, commandActor, (tx) => noteOutcome(tx, claim, outcome));
  return turnOf(outcome);
}

/** Whoever operates the service is to know that no mails go out before those who miss them tell. */
function tellFault(run: Run, outcome: SendOutcome): void {
  if (outcome.kind !== "try_again" || outcome.fault !== "server" || run.isFaultTold) return;
  run.isFaultTold = true;
  run.options.log?.(`Mails wait: ${outcome.reason}`);
}

/** A server that never answers the last dot would leave a whole queue in doubt, so that counts as a failure too. */
function turnOf(outcome: SendOutcome): Turn {
  if (outcome.kind === "unsure") return "failed";
  if (outcome.kind === "address_refused" && outcome.by === "us") return "settled";
  if (outcome.kind !== "try_again") return "answered";
  return outcome.fault === "letter" ? "settled" : "failed";
}

/** Waits until the next letter may go out. */
function keepPace(perSecond: number): () => Promise<void> {
  let nextAtMs = 0;
  return async () => {
    const waitMs = nextAtMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    nextAtMs = performance.now() + 1_000 / perSecond;
  };
}
