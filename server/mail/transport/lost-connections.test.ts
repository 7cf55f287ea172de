import assert from "node:assert/strict";
import { test } from "node:test";
import { letterWith } from "../../test/letters.ts";
import { startMailServer, type MailManner, type MailMoment } from "../../test/mail-server.ts";
import { readMail } from "../../test/read-mail.ts";
import type { MailTransport } from "./outcome.ts";
import { makeTransport } from "./transport.ts";

const MAILS = 200;
/** A mail is tried again until it is sent or unsure; that it takes this often would be a loop. */
const TRIES_MAX = 20;

/** The same numbers in [0, 1) each time (the generator of Numerical Recipes). */
function makeChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const troubles: Readonly<Record<MailMoment, readonly [share: number, manner: MailManner][]>> = {
  connect: [
    [0.05, "cut"],
    [0.05, "421 4.3.2 Busy"],
  ],
  mail: [
    [0.04, "cut"],
    [0.02, "421 4.7.0 Enough"],
  ],
  rcpt: [
    [0.04, "cut"],
    [0.03, "450 4.2.1 Later"],
  ],
  text: [[0.03, "cut"]],
  dot: [
    [0.05, "cut"],
    [0.05, "keep_and_cut"],
    [0.05, "451 4.3.0 Later"],
  ],
};

test("200 mails over connections that are dropped at random: none is lost, and none arrives twice", async () => {
  await using server = await startMailServer();
  // Each moment has numbers of its own: which of the senders comes first changes hardly any of what happens.
  const chances: Readonly<Record<MailMoment, () => number>> = {
    connect: makeChance(7),
    mail: makeChance(8),
    rcpt: makeChance(9),
    text: makeChance(10),
    dot: makeChance(11),
  };
  const happened = new Map<MailManner, number>();
  server.behave = (moment) => {
    let roll = chances[moment]();
    for (const [share, manner] of troubles[moment]) {
      roll -= share;
      if (roll >= 0) continue;
      happened.set(manner, (happened.get(manner) ?? 0) + 1);
      return manner;
    }
    return "go_on";
  };
  // As many as processes would send at once.
  await using senders = new AsyncDisposableStack();
  const transports = Array.from({ length: 8 }, () =>
    senders.use(makeTransport({ smtpUrl: server.url, folder: "/nowhere" })),
  );
  const ended = new Map<string, string>();
  const sendUntilKnown = async (transport: MailTransport, message_id: string): Promise<void> => {
    for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
      let committed = 0;
      const outcome = await transport.send(letterWith({ message_id }), async () => void (committed += 1));
      assert.ok(committed <= 1 && (committed === 1 || outcome.kind === "try_again"), JSON.stringify(outcome));
      ended.set(message_id, outcome.kind);
      if (outcome.kind !== "try_again") return;
    }
    assert.fail(`${message_id} was tried ${TRIES_MAX} times`);
  };
  const sendAll = async (transport: MailTransport, first: number): Promise<void> => {
    for (let at = first; at < MAILS; at += transports.length)
      await sendUntilKnown(transport, `<mail.${at}@example.com>`);
  };
  await Promise.all(transports.map(sendAll));

  const arrived = new Map<string, number>();
  for (const { raw } of server.mails) {
    const id = new Map(readMail(raw).headers).get("message-id") ?? "";
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
  }
  const kinds = [...ended.values()];
  const unsure = kinds.filter((kind) => kind === "unsure").length;
  assert.equal(ended.size, MAILS);
  assert.equal(kinds.filter((kind) => kind === "sent").length + unsure, MAILS);
  for (const [id, kind] of ended) {
    const times = arrived.get(id) ?? 0;
    assert.ok(kind === "sent" ? times === 1 : times <= 1, `${id} was ${kind} and arrived ${times} times`);
  }
  const kept = happened.get("keep_and_cut") ?? 0;
  assert.ok(kept > 0 && unsure > kept, "the server was too well-behaved to prove anything");
  assert.equal(server.mails.length, MAILS - unsure + kept);
  assert.ok((happened.get("cut") ?? 0) >= 20, `only ${happened.get("cut")} connections were cut`);
});
