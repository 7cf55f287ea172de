import { Database } from "../db/db.ts";
import { SERVING_ROLE } from "../db/migrate.ts";
import { sendMails } from "../mail/send.ts";
import { makeTransport } from "../mail/transport/transport.ts";
import { Secrets } from "../secrets.ts";

// A process that sends what is due, for a test to kill: node mail-sender.ts <database> <mail server> <what time it is>
const [url = "", smtpUrl = "", now = ""] = process.argv.slice(2);
const clock = () => new Date(now);
const shared = { pooling: "session", statementTimeoutMs: 30_000 } as const;
await using database = new Database({ ...shared, url, role: SERVING_ROLE, connections: 2, clock });
await using transport = makeTransport({ smtpUrl, folder: "/nonexistent" });
await sendMails(database, transport, {
  secrets: new Secrets("a secret of nobody"),
  publicUrl: "https://lectern.test",
  from: "notifications@lectern.test",
  perSecond: 1_000,
  dueSoonDays: [7, 1],
  clock,
});
