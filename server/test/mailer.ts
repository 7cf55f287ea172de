import { sql } from "kysely";
import { followForMails } from "../mail/follow.ts";
import { planReminders } from "../mail/ladder.ts";
import type { MailOptions } from "../mail/options.ts";
import type { MailTransport } from "../mail/transport/outcome.ts";
import { sendMails } from "../mail/send.ts";
import { makeTransport } from "../mail/transport/transport.ts";
import { Secrets } from "../secrets.ts";
import { type ArrivedMail, type MailServer, startMailServer } from "./mail-server.ts";
import { type Client, PUBLIC_URL, startServer, type TestServer } from "./server.ts";

const MINUTE_MS = 60_000;

/** The service, a mail server, and the mailer between them, whose clock stands still until a test moves it. */
export interface MailedServer extends AsyncDisposable {
  readonly lectern: TestServer;
  readonly server: MailServer;
  readonly options: MailOptions;
  readonly clock: { now: Date };
  /** What an administrator would find in the log. */
  readonly logged: string[];
  /** Does what the jobs do: follows the feeds, plans reminders, sends. Another transport may stand for the mail server. */
  run(transport?: MailTransport): Promise<void>;
  /** Runs, moves the clock, and runs again. @returns what arrived meanwhile. */
  after(minutes: number): Promise<Mail[]>;
  /** What arrived since this was last asked. */
  arrived(): Mail[];
}

/** A mail as its reader sees it. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly headers: ReadonlyMap<string, string>;
}

/** Starts all of it at noon (UTC) of a Monday in 2030. */
export async function startMailed(): Promise<MailedServer> {
  const stack = new AsyncDisposableStack();
  const clock = { now: new Date("2030-01-07T12:00:00Z") };
  const lectern = stack.use(await startServer({ clock: () => clock.now }));
  const server = stack.use(await startMailServer());
  const smtp = stack.use(makeTransport({ smtpUrl: server.url, folder: "/nonexistent" }));
  const logged: string[] = [];
  const options: MailOptions = {
    secrets: new Secrets("a secret of nobody"),
    publicUrl: PUBLIC_URL,
    from: "notifications@lectern.test",
    perSecond: 1_000,
    dueSoonDays: [7, 1],
    clock: () => clock.now,
    log: (line) => void logged.push(line),
  };
  const run: MailedServer["run"] = async (transport = smtp) => {
    for (const { company } of [lectern.acme, lectern.globex]) {
      await followForMails(lectern.database, company, options);
    }
    await planReminders(lectern.database, options);
    await sendMails(lectern.database, transport, options);
  };
  let seen = 0;
  const arrived = () => {
    const mails = server.mails.slice(seen).map(readMail);
    seen = server.mails.length;
    return mails;
  };
  return {
    ...{ lectern, server, options, clock, logged, run, arrived },
    after: async (minutes) => {
      await run();
      clock.now = new Date(clock.now.getTime() + minutes * MINUTE_MS);
      await run();
      return arrived();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** What is stored of a company's letters, in the order in which they were made. */
export async function listMails(
  { lectern }: Pick<MailedServer, "lectern">,
  { company }: Client,
): Promise<{ kind: string; status: string; tries: number; reason: string | null }[]> {
  return lectern.database.read(company, async (tx) => {
    const { rows } = await sql<{ kind: string; status: string; tries: number; reason: string | null }>`
      select kind, status, tries, reason from mails where company_id = ${company.id} order by id`.execute(
      tx.sql,
    );
    return rows;
  });
}

/** Reads a mail's headers and its plain text. */
export function readMail({ raw, to }: ArrivedMail): Mail {
  const [head = ""] = raw.split("\r\n\r\n", 1);
  const headers = readHeaders(head);
  const boundary = /boundary="?([^";]+)/.exec(headers.get("content-type") ?? "")?.[1] ?? "";
  const part = raw.split(`--${boundary}`).find((one) => one.includes("text/plain")) ?? "";
  const end = part.indexOf("\r\n\r\n");
  const encoding = readHeaders(part.slice(0, end).trimStart()).get("content-transfer-encoding") ?? "7bit";
  const subject = (headers.get("subject") ?? "").replaceAll(
    /=\?utf-8\?q\?([^?]*)\?=\s*/gi,
    (_all, text: string) => decode(text.replaceAll("_", " "), "quoted-printable"),
  );
  return { to: to.join(), subject, text: decode(part.slice(end).trim(), encoding), headers };
}

function readHeaders(head: string): Map<string, string> {
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  return new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
}

function decode(text: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(text, "base64").toString("utf8");
  if (encoding !== "quoted-printable") return text;
  const bytes = text
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
