import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assign } from "../test/learning.ts";
import { listMails, readMail, startMailed } from "../test/mailer.ts";
import { addManyUsers } from "../test/people.ts";
import { CLAIM_MS } from "./claim.ts";
import type { MailTransport } from "./transport/outcome.ts";
import { sendMails } from "./send.ts";
import { makeTransport } from "./transport/transport.ts";

const mailed = await startMailed();
const { lectern, server, clock, options } = mailed;
const { acme, globex, make } = lectern;
after(() => mailed[Symbol.asyncDispose]());
const CLAIM_MINUTES = CLAIM_MS / 60_000;

/** Assigns a lesson of its own to new people, and lets it be noted. */
async function giveLesson(people: number, client = acme): Promise<number[]> {
  const users = await addManyUsers(make, client, people);
  const lesson_id = await make.lesson(client);
  await assign(
    client,
    `lessons/${lesson_id}`,
    users.map((assignee_id) => ({ assignee_id })),
  );
  return users;
}

/** A way on which the process is killed: nothing that it was about to note is noted. */
function killedAt(moment: "before" | "committed" | "accepted"): MailTransport {
  const smtp = makeTransport({ smtpUrl: server.url, folder: "/nonexistent" });
  return {
    async send(letter, onCommit) {
      if (moment === "before") throw new Killed();
      if (moment === "accepted") await smtp.send(letter, onCommit);
      else await onCommit();
      throw new Killed();
    },
    [Symbol.asyncDispose]: () => smtp[Symbol.asyncDispose](),
  };
}

class Killed extends Error {}

/** Runs the sender as a process that is killed: it stops for ever where the transport says. */
async function runKilled(moment: "before" | "committed" | "accepted"): Promise<void> {
  await using transport = killedAt(moment);
  const { promise, resolve } = Promise.withResolvers<void>();
  const frozen: MailTransport = {
    send: (letter, onCommit) =>
      transport.send(letter, onCommit).catch(() => {
        resolve();
        return new Promise<never>(() => undefined);
      }),
    [Symbol.asyncDispose]: async () => undefined,
  };
  void sendMails(lectern.database, frozen, options);
  await promise;
}

test("a process that is killed at any moment sends nothing twice, and loses nothing that is not shown", async () => {
  for (const [moment, status, arrivals] of [
    ["before", "sent", 1],
    ["committed", "unsure", 0],
    ["accepted", "unsure", 1],
  ] as const) {
    await giveLesson(1);
    await mailed.run();
    clock.now = new Date(clock.now.getTime() + 60_000);
    await runKilled(moment);
    // The lease of the one that was killed ends first, then its claim.
    const early = await mailed.after(2);
    const late = await mailed.after(CLAIM_MINUTES);
    const again = await mailed.after(600);
    assert.deepEqual([early.length + late.length + again.length, moment], [arrivals, moment]);
    assert.equal((await listMails(mailed, acme)).at(-1)?.status, status, moment);
  }
});

test("what a mail server puts off is tried later and later, then given up with the reason", async () => {
  await giveLesson(1);
  await mailed.run();
  server.behave = (moment) => (moment === "dot" ? "451 4.3.0 Disk is full" : "go_on");
  const { dots } = server;
  for (const [index, minutes] of [1, 1, 5, 30, 120, 360].entries()) {
    await pass(minutes - 0.5);
    assert.equal(server.dots - dots, index, `not before ${minutes} minutes`);
    await pass(0.5);
    assert.equal(server.dots - dots, index + 1, `after ${minutes} minutes`);
  }
  for (let age = 516; age < 5 * 24 * 60; age += 360) {
    assert.equal((await listMails(mailed, acme)).at(-1)?.status, "waiting", `at the age of ${age} minutes`);
    await pass(360);
  }
  await pass(10_000);
  assert.equal(server.dots - dots, 25);
  server.behave = () => "go_on";
  assert.deepEqual(mailed.arrived(), []);
  assert.deepEqual((await listMails(mailed, acme)).at(-1), {
    kind: "assigned",
    status: "refused",
    tries: 25,
    reason: `Given up after more than five days. The mail server asked to try later: "451 4.3.0 Disk is full".`,
  });
});

/** Lets the time pass, and the sender run. */
async function pass(minutes: number, transport = smtp()): Promise<void> {
  clock.now = new Date(clock.now.getTime() + minutes * 60_000);
  await sendMails(lectern.database, transport, options);
}

let sharedSmtp: MailTransport | undefined;
function smtp(): MailTransport {
  sharedSmtp ??= makeTransport({ smtpUrl: server.url, folder: "/nonexistent" });
  return sharedSmtp;
}
after(async () => sharedSmtp?.[Symbol.asyncDispose]());

test("a mail server that is away for days loses no letter, and one that never comes back is told of", async () => {
  const letters = 12;
  await giveLesson(letters);
  await mailed.run();
  await using away = makeTransport({ smtpUrl: "smtp://127.0.0.1:1", folder: "/nonexistent" });
  const waitingOf = async () =>
    (await listMails(mailed, acme)).slice(-letters).map(({ status, tries }) => [status, tries]);
  const waiting = Array.from({ length: letters }, () => ["waiting", 0]);
  for (let hours = 0; hours < 4 * 24; hours += 12) await pass(720, away);
  assert.deepEqual(await waitingOf(), waiting, "no try counts");
  server.behave = (moment) => (moment === "mail" ? "550 5.7.1 Not your address" : "go_on");
  for (let hours = 0; hours < 3; hours += 1) await pass(60);
  assert.deepEqual(await waitingOf(), waiting, "nor where the sender is refused");
  server.behave = () => "go_on";
  await pass(30);
  assert.equal(mailed.arrived().length, letters);

  await giveLesson(1);
  await mailed.run();
  for (let hours = 0; hours < 5 * 24; hours += 6) await pass(360, away);
  assert.equal((await listMails(mailed, acme)).at(-1)?.status, "waiting");
  for (let tries = 0; tries < 6; tries += 1) await pass(360, away);
  const { reason, ...given_up } = (await listMails(mailed, acme)).at(-1) ?? {};
  assert.deepEqual(given_up, { kind: "assigned", status: "refused", tries: 6 });
  assert.match(reason ?? "", /^Given up after more than five days\. The mail server can't be reached/);
});

test("a mail server that is away is in the log, once for each look at it", async () => {
  await giveLesson(3);
  await mailed.run();
  await using away = makeTransport({ smtpUrl: "smtp://127.0.0.1:1", folder: "/nonexistent" });
  const before = mailed.logged.length;
  await pass(60, away);
  const line =
    "Mails wait: The mail server can't be reached, or ended the connection: connect ECONNREFUSED 127.0.0.1:1.";
  assert.deepEqual(mailed.logged.slice(before), [line]);
  await pass(60);
  assert.equal(mailed.arrived().length, 3);
  assert.deepEqual(mailed.logged.slice(before), [line]);
});

test("a relay that denies everybody ends the run and costs no letter; greylisting is each letter's own", async () => {
  const letters = 15;
  for (const [answer, asked] of [
    ["554 5.7.1 Relay access denied", 10],
    ["450 4.7.1 Greylisted", letters],
  ] as const) {
    await giveLesson(letters);
    await mailed.run();
    let recipients = 0;
    server.behave = (moment) => {
      if (moment !== "rcpt") return "go_on";
      recipients += 1;
      return answer;
    };
    await pass(1);
    assert.equal(recipients, asked, answer);
    server.behave = () => "go_on";
    await pass(1);
    assert.equal(mailed.arrived().length, letters, answer);
  }
});

test("a server that ends every connection at the last dot leaves ten letters in doubt, and not the queue", async () => {
  await giveLesson(12);
  await mailed.run();
  server.behave = (moment) => (moment === "dot" ? "cut" : "go_on");
  await pass(1);
  server.behave = () => "go_on";
  const statuses = (await listMails(mailed, acme)).slice(-12).map(({ status }) => status);
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => "unsure"), "waiting", "waiting"]);
  await pass(1);
  assert.equal(mailed.arrived().length, 2);
});

test("an address that is refused is left alone until the person has another one", async () => {
  const [user_id] = await giveLesson(1);
  server.behave = (moment) => (moment === "rcpt" ? "550 5.1.1 No such user" : "go_on");
  assert.deepEqual(await mailed.after(1), []);
  server.behave = () => "go_on";
  const reason = `The mail server does not take mail for this address: "550 5.1.1 No such user".`;
  const refused = { kind: "assigned", status: "address_refused", reason };
  assert.deepEqual((await listMails(mailed, acme)).at(-1), { ...refused, tries: 1 });

  await assign(acme, `lessons/${await make.lesson(acme)}`, [{ assignee_id: user_id }]);
  assert.deepEqual(await mailed.after(24 * 60), []);
  assert.deepEqual((await listMails(mailed, acme)).at(-1), { ...refused, tries: 0 });

  const changed = await acme.put(`/api/v1/users/${user_id}`, { email: "new@example.com" });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  await assign(acme, `lessons/${await make.lesson(acme)}`, [{ assignee_id: user_id }]);
  assert.deepEqual(
    (await mailed.after(24 * 60)).map(({ to }) => to),
    ["new@example.com"],
  );
});

test("with connections that drop at any moment each letter arrives once, and what may have arrived is noted", async () => {
  const count = 40;
  await giveLesson(count);
  await giveLesson(count, globex);
  let random = 7;
  server.behave = (moment) => {
    random = (random * 48_271) % 2_147_483_647;
    if (random % 20 !== 0) return "go_on";
    return moment === "dot" && random % 40 === 0 ? "keep_and_cut" : "cut";
  };
  const seen = server.mails.length;
  await mailed.run();
  for (let tries = 0; tries < 8; tries += 1) await pass(180);
  server.behave = () => "go_on";
  const arrived = server.mails.slice(seen).map((mail) => readMail(mail).headers.get("message-id"));
  mailed.arrived();
  const stored = [
    ...(await listMails(mailed, acme)).slice(-count),
    ...(await listMails(mailed, globex)).slice(-count),
  ];
  const of = (status: string) => stored.filter((mail) => mail.status === status).length;
  assert.equal(new Set(arrived).size, arrived.length, "none arrived twice");
  assert.equal(
    of("sent") + of("unsure"),
    2 * count,
    JSON.stringify(stored.find(({ status }) => status === "waiting")),
  );
  assert.ok(of("unsure") > 0, "some connections ended after the last dot");
  assert.ok(arrived.length >= of("sent") && arrived.length <= 2 * count);
});

test("two processes that send at once send each letter once, and companies take turns", async () => {
  await giveLesson(20);
  await giveLesson(20, globex);
  await mailed.run();
  clock.now = new Date(clock.now.getTime() + 60_000);
  const other = makeTransport({ smtpUrl: server.url, folder: "/nonexistent" });
  await Promise.all([
    sendMails(lectern.database, smtp(), options),
    sendMails(lectern.database, other, options),
  ]);
  await other[Symbol.asyncDispose]();
  const mails = mailed.arrived();
  assert.equal(mails.length, 40);
  assert.equal(new Set(mails.map(({ headers }) => headers.get("message-id"))).size, 40);
  const first = mails.slice(0, 20).filter(({ headers }) => headers.get("from")?.includes("acme"));
  assert.equal(first.length, 10);
});

test("letters go out no faster than is configured", async () => {
  await giveLesson(6);
  await mailed.run();
  clock.now = new Date(clock.now.getTime() + 60_000);
  const began = performance.now();
  await sendMails(lectern.database, smtp(), { ...options, perSecond: 20 });
  assert.equal(mailed.arrived().length, 6);
  assert.ok(performance.now() - began >= 245, "six letters at twenty in a second");
});

test("a letter that can't be written keeps no other from being sent", async () => {
  const [user_id = 0] = await giveLesson(2);
  const before = mailed.logged.length;
  await make.write(acme, (tx) =>
    tx.sql
      .insertInto("mail_notices")
      .values({
        ...{
          company_id: tx.company.id,
          key: "odd/1",
          user_id,
          kind: "of nobody",
          pace: "alone",
          facts: "{}",
        },
        ...{ created_at: clock.now.toISOString(), send_at: clock.now.toISOString() },
      })
      .execute(),
  );
  assert.equal((await mailed.after(1)).length, 2);
  const odd = (await listMails(mailed, acme)).find(({ kind }) => kind === "of nobody");
  assert.deepEqual(odd?.status, "waiting");
  assert.match(odd?.reason ?? "", /^An error within the service/);
  assert.equal(mailed.logged.length - before, 2, "it was tried twice");
  assert.match(mailed.logged[before] ?? "", /The mail \d+ can't be written: Error: nobody tells of nobody/);
});
