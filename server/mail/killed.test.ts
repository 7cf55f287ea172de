import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { assign } from "../test/learning.ts";
import { listMails, readMail, startMailed } from "../test/mailer.ts";
import { addManyUsers } from "../test/people.ts";
import { CLAIM_MS } from "./claim.ts";
import { followForMails } from "./follow.ts";

const SENDER = fileURLToPath(new URL("../test/mail-sender.ts", import.meta.url));
const LETTERS = 40;
const KILLS = 4;
/** Steps of an SMTP conversation between two kills, at least and at most. */
const [FEWEST_STEPS, MOST_STEPS] = [5, 40];

test("the sender is killed again and again while it talks to the mail server: no letter comes twice, none is lost unseen", async () => {
  await using mailed = await startMailed();
  const { lectern, server, clock, options } = mailed;
  const { acme, make } = lectern;
  const users = await addManyUsers(make, acme, LETTERS);
  const lesson_id = await make.lesson(acme);
  await assign(
    acme,
    `lessons/${lesson_id}`,
    users.map((assignee_id) => ({ assignee_id })),
  );
  await followForMails(lectern.database, acme.company, options);

  let sender: ChildProcess | undefined;
  let kills = 0;
  let steps = 0;
  let killAt = FEWEST_STEPS;
  server.behave = () => {
    steps += 1;
    if (kills < KILLS && steps >= killAt) {
      kills += 1;
      killAt = steps + FEWEST_STEPS + Math.floor(Math.random() * (MOST_STEPS - FEWEST_STEPS));
      sender?.kill("SIGKILL");
    }
    return "go_on";
  };
  for (let run = 0; run <= KILLS; run += 1) {
    // What a killed one held is free again by then.
    clock.now = new Date(clock.now.getTime() + CLAIM_MS + 60_000);
    sender = spawn(process.execPath, [SENDER, lectern.ownerUrl, server.url, clock.now.toISOString()], {
      stdio: "inherit",
    });
    const [code, signal] = await once(sender, "exit");
    assert.ok(code === 0 || signal === "SIGKILL", `the sender ended with ${code}`);
  }
  await mailed.after(30);

  const stored = await listMails(mailed, acme);
  const of = (status: string) => stored.filter((mail) => mail.status === status).length;
  const arrived = server.mails.map((mail) => readMail(mail).headers.get("message-id"));
  assert.equal(kills, KILLS);
  assert.equal(stored.length, LETTERS);
  assert.equal(of("sent") + of("unsure"), LETTERS, JSON.stringify(stored));
  assert.equal(new Set(arrived).size, arrived.length, "none came twice");
  assert.ok(of("unsure") <= KILLS, "a kill leaves one letter in doubt at most");
  assert.ok(arrived.length >= of("sent"));
});
