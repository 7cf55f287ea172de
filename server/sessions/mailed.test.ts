import assert from "node:assert/strict";
import { after, test } from "node:test";
import { workBulkJobs } from "../bulk/work.ts";
import { startMailed } from "../test/mailer.ts";
import { Person } from "../test/person.ts";
import { type Answer, toAnswer } from "../test/server.ts";
import { deviceOf } from "./device.ts";

const mailed = await startMailed();
const { lectern, server, clock } = mailed;
const { acme } = lectern;
after(() => mailed[Symbol.asyncDispose]());

const COMPANY = "/api/v2/companies/acme";
const password = "nine quiet otters";
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

test("a mail about a new account has a link that sets a password and signs in, once", async () => {
  const { id } = await addPerson("Grace", { notify: true });
  const [mail, ...none] = await mailed.after(0);
  assert.deepEqual([mail?.to, mail?.subject, none], ["grace@people.example.com", "Your account at acme", []]);
  assert.match(
    mail?.text.replaceAll(/\s+/g, " ") ?? "",
    /The link is valid until January 14, 2030 at 12:00 PM UTC\./,
  );
  const token = tokenIn(mail?.text);
  const entered = await redeem(token);
  assert.deepEqual([entered.status, entered.body.user?.id], [201, id]);
  assert.equal((await personOf(entered).get("/api/v2/me")).body.user.name, "Grace");
  assert.equal(
    (await redeem(token)).body.errors[0].detail,
    "is unknown, was used or has expired: ask for a new link",
  );
});

test("an invitation that may have arrived is sent again with another link, both work, and no token is stored", async () => {
  const { id } = await addPerson("Ida");
  const invited = await acme.post(`/api/v2/users/${id}/invitations`);
  assert.equal(invited.status, 201);
  server.behave = (moment) => (moment === "dot" ? "keep_and_cut" : "go_on");
  const [first] = await mailed.after(0);
  server.behave = () => "go_on";
  assert.deepEqual(await mailed.after(600), [], "not by itself");
  assert.equal(first?.subject, "Invitation from acme");
  assert.equal(first?.headers.get("list-unsubscribe"), undefined);
  const listed = await acme.get(`/api/v2/mails?filter[user_id]=${id}`);
  assert.equal(listed.body.data[0].status, "unsure");
  assert.equal((await acme.post(`/api/v2/mails/${listed.body.data[0].id}/send_again`)).status, 200);
  const [second, ...none] = await mailed.after(0);
  assert.deepEqual(none, []);
  assert.equal(second?.headers.get("message-id"), first?.headers.get("message-id"));
  assert.notEqual(tokenIn(first?.text), tokenIn(second?.text));
  const stored = await lectern.database.read(acme.company, async (tx) => [
    await tx.sql.selectFrom("mails").selectAll().where("company_id", "=", tx.company.id).execute(),
    await tx.sql.selectFrom("mail_notices").selectAll().where("company_id", "=", tx.company.id).execute(),
    await tx.sql.selectFrom("sign_in_links").selectAll().where("company_id", "=", tx.company.id).execute(),
  ]);
  for (const token of [tokenIn(first?.text), tokenIn(second?.text)])
    assert.ok(!JSON.stringify(stored).includes(token));
  for (const token of [tokenIn(first?.text), tokenIn(second?.text)]) {
    const { body } = await call(`${COMPANY}/password_resets/redeem`, { token, password: "people.acme.12" });
    assert.equal(body.errors[0].pointer, "/password", "the token is right");
  }
  assert.equal((await redeem(tokenIn(first?.text))).status, 201);
  assert.equal((await redeem(tokenIn(second?.text))).status, 422, "a new password voids all");
});

test("a process that is killed with a link in its hands leaves one that the next try voids", async () => {
  const { id } = await addPerson("Emil");
  await acme.post(`/api/v2/users/${id}/invitations`);
  const written: string[] = [];
  await mailed.run({
    send: async ({ text }) => {
      written.push(text);
      return { kind: "try_again", fault: "server", reason: "It was killed." };
    },
    [Symbol.asyncDispose]: async () => undefined,
  });
  const [mail] = await mailed.after(1);
  assert.equal(written.length, 1);
  assert.equal((await redeem(tokenIn(written[0]))).status, 422);
  assert.equal((await redeem(tokenIn(mail?.text))).status, 201);
});

test("where passwords are switched off meanwhile no link goes out, and an account is opened by signing in", async () => {
  const { id } = await addPerson("Oda");
  await acme.post(`/api/v2/users/${id}/invitations`);
  await setPasswords(false);
  await addPerson("Ole", { notify: true });
  const [mail, ...none] = await mailed.after(0);
  assert.deepEqual([mail?.to, none], ["ole@people.example.com", []]);
  assert.match(mail?.text ?? "", /https:\/\/lectern\.test\/sign-in\?company=acme\s/);
  assert.doesNotMatch(mail?.text ?? "", /token|valid until/);
  const { data } = (await acme.get(`/api/v2/mails?filter[user_id]=${id}`)).body;
  assert.deepEqual([data[0].status, data[0].address], ["dropped", null]);
  await setPasswords(true);
});

/** Makes a provider of single sign-on the way in, alone or beside passwords. */
async function setPasswords(allows_passwords: boolean): Promise<void> {
  const settings = { issuer: "https://id.example.com", client_id: "us", makes_users: false };
  await lectern.make.write(acme, (tx) =>
    tx.sql
      .insertInto("identity_providers")
      .values({
        ...{ company_id: tx.company.id, ...settings, new_user_role_id: 32 },
        ...{ allows_passwords, updated_at: clock.now.toISOString() },
      })
      .onConflict((conflict) => conflict.column("company_id").doUpdateSet({ allows_passwords }))
      .execute(),
  );
}

test("who forgot a password gets one mail however often they ask, and nobody learns who has an account", async () => {
  clock.now = new Date("2030-01-08T12:00:00Z");
  await addPerson("Mary");
  const emails = ["mary@people.example.com", "nobody@people.example.com", "Mary@people.example.com"];
  for (const email of emails) {
    const asked = await call(`${COMPANY}/password_resets`, { email });
    assert.deepEqual([asked.status, asked.body], [201, { email }]);
  }
  const [mail, ...none] = await mailed.after(0);
  assert.deepEqual([mail?.to, mail?.subject, none], ["mary@people.example.com", "Reset your password", []]);
  assert.match(
    mail?.text ?? "",
    /The link is valid until January 8, 2030 at 1:00 PM UTC and can be used once/,
  );
  await call(`${COMPANY}/password_resets`, { email: emails[0] });
  assert.deepEqual(await mailed.after(5), []);
  await call(`${COMPANY}/password_resets`, { email: emails[0] });
  const [later] = await mailed.after(0);
  assert.equal((await redeem(tokenIn(mail?.text))).status, 201, "a later one does not void those before");
  assert.equal((await redeem(tokenIn(later?.text))).status, 422, "a new password does");
});

test("nobody's mailbox is filled by asking again and again: resets come later and later, and each link works", async () => {
  clock.now = new Date("2030-01-09T12:00:00Z");
  await addPerson("Olga");
  const came: number[] = [];
  const links: string[] = [];
  const began = clock.now.getTime();
  for (const minutes of [0, 4, 6, 14, 20, 22, 40, 79, 83, 120, 141]) {
    clock.now = new Date(began + minutes * 60_000);
    const asking = ["olga@people.example.com", "nobody@people.example.com"].map(async (email) => {
      const startedAt = performance.now();
      const asked = await ask(email, `10.0.0.${minutes}`);
      assert.deepEqual([asked.status, asked.body], [201, { email }]);
      assert.ok(performance.now() - startedAt > 190, "every answer takes its time");
    });
    await Promise.all(asking);
    for (const { to, text } of await mailed.after(0)) {
      assert.equal(to, "olga@people.example.com");
      came.push(minutes);
      links.push(tokenIn(text));
    }
  }
  assert.deepEqual(came, [0, 6, 22, 83]);
  clock.now = new Date(began + 142 * 60_000);
  assert.equal((await redeem(links.at(-1) ?? "")).status, 201, "it works until another one comes");
  await ask("olga@people.example.com", "10.0.1.1");
  assert.equal((await mailed.after(0)).length, 1, "who has used a link has none to wait for");
});

/** Asks for a reset from a network of its own: how often one network may ask is another limit. */
async function ask(email: string, remoteAddress: string): Promise<Answer> {
  const url = `${COMPANY}/password_resets`;
  return toAnswer(await lectern.app.inject({ method: "POST", url, payload: { email }, remoteAddress }));
}

test("who forgot a password does not wait for the mails of everybody who was given an account", async () => {
  for (const name of ["Uma", "Una", "Ute"]) await addPerson(name, { notify: true });
  await call(`${COMPANY}/password_resets`, { email: "una@people.example.com" });
  const subjects = (await mailed.after(0)).map(({ subject }) => subject);
  assert.deepEqual(subjects, ["Reset your password", ...Array(3).fill("Your account at acme")]);
});

test("a mail server that is down holds one link, and an address that was refused bars none for ever", async () => {
  const { id } = await addPerson("Lost");
  const email = "lost@people.example.com";
  server.behave = (moment) => (moment === "rcpt" ? "450 4.2.1 Later" : "go_on");
  await call(`${COMPANY}/password_resets`, { email });
  await mailed.after(10);
  await call(`${COMPANY}/password_resets`, { email });
  server.behave = (moment) => (moment === "rcpt" ? "550 5.1.1 Nobody is here" : "go_on");
  assert.deepEqual(await mailed.after(60), []);
  server.behave = () => "go_on";
  const { data } = (await acme.get(`/api/v2/mails?filter[user_id]=${id}`)).body;
  assert.deepEqual(
    data.map(({ kind, status }: Record<string, string>) => [kind, status]),
    [["password_reset", "address_refused"]],
  );
  await acme.put(`/api/v1/users/${id}`, { email: "found@people.example.com" });
  await call(`${COMPANY}/password_resets`, { email: "found@people.example.com" });
  const [mail] = await mailed.after(0);
  assert.equal(mail?.to, "found@people.example.com");
  assert.equal((await redeem(tokenIn(mail?.text))).status, 201);
});

test("links that went to a former e-mail open nothing, and whoever is invited anew is mailed at the new one at once", async () => {
  const changes = {
    "version 1": (id: number, email: string) => acme.put(`/api/v1/users/${id}`, { email }),
    "version 2": (id: number, email: string) =>
      acme.request({ method: "PATCH", url: `/api/v2/users/${id}`, payload: { email } }),
    bulk: async (id: number, email: string) => {
      const { ext_uid } = (await acme.get(`/api/v2/users/${id}`)).body;
      await acme.post("/api/v2/users/bulk", { rows: [{ ext_uid, email }] });
      await workBulkJobs(lectern.database);
      return acme.get(`/api/v2/users/${id}`);
    },
  };
  for (const [way, change] of Object.entries(changes)) {
    const name = `Typo ${way}`;
    const mine = (host: string) => `typo.${way.replace(" ", ".")}@${host}`;
    const { id } = await addPerson(name, { email: mine("wrong.example.com"), ext_uid: way, notify: true });
    await acme.post(`/api/v2/users/${id}/invitations`);
    const sent = await mailed.after(0);
    assert.deepEqual(
      sent.map(({ to }) => to),
      Array(2).fill(mine("wrong.example.com")),
      way,
    );
    assert.equal((await change(id, mine("right.example.com"))).status, 200, way);
    for (const { text } of sent) assert.equal((await redeem(tokenIn(text))).status, 422, way);
    await acme.post(`/api/v2/users/${id}/invitations`);
    const [mail, ...none] = await mailed.after(0);
    assert.deepEqual([mail?.to, none], [mine("right.example.com"), []], way);
    assert.equal((await acme.put(`/api/v1/users/${id}`, { email: mine("RIGHT.example.com") })).status, 200);
    assert.equal((await redeem(tokenIn(mail?.text))).status, 201, "the same e-mail in other letters");
  }
});

test("an invitation whose address was refused waits for nothing once the person has another, however it is sent", async () => {
  for (const how of ["invited anew", "sent again", "changed before it went out"] as const) {
    const name = how.replaceAll(" ", ".");
    const { id } = await addPerson(name);
    await acme.post(`/api/v2/users/${id}/invitations`);
    if (how !== "changed before it went out") {
      server.behave = (moment) => (moment === "rcpt" ? "550 5.1.1 Nobody is here" : "go_on");
      assert.deepEqual(await mailed.after(0), []);
      server.behave = () => "go_on";
    }
    await acme.put(`/api/v1/users/${id}`, { email: `${name}@other.example.com` });
    if (how === "invited anew") await acme.post(`/api/v2/users/${id}/invitations`);
    if (how === "sent again") {
      const { data } = (await acme.get(`/api/v2/mails?filter[user_id]=${id}`)).body;
      assert.equal((await acme.post(`/api/v2/mails/${data[0].id}/send_again`)).status, 200);
    }
    const [mail, ...none] = await mailed.after(0);
    assert.deepEqual([mail?.to, none], [`${name}@other.example.com`, []], how);
    assert.equal((await redeem(tokenIn(mail?.text))).status, 201, how);
  }
});

test("a sign-in with what somebody never used before is told to them, the very first is not", async () => {
  const { id } = await addPerson("Emmy", { locale: "de", notify: true });
  const email = "emmy@people.example.com";
  const [invitation] = await mailed.after(0);
  await redeem(tokenIn(invitation?.text), FIREFOX);
  await call(`${COMPANY}/sessions`, { email, password }, FIREFOX.replaceAll("140", "141"));
  assert.deepEqual(await mailed.after(0), []);
  await call(`${COMPANY}/sessions`, { email, password }, SAFARI);
  await call(`${COMPANY}/sessions`, { email, password }, SAFARI);
  const [mail, ...none] = await mailed.after(0);
  assert.deepEqual([mail?.to, mail?.subject, none], [email, "Anmeldung auf einem neuen Gerät", []]);
  assert.match(mail?.text ?? "", /Gerät: Safari \(iPhone\)/);
  assert.match(mail?.text ?? "", /IP-Adresse: 127\.0\.0\.1/);
  const data = await acme.get(`/api/v2/users/${id}/export`);
  const devices = data.body.stored.find(({ table }: { table: string }) => table === "sign_in_devices");
  assert.deepEqual(
    devices.rows.map(({ device }: { device: string }) => device),
    ["Safari (iPhone)", "Firefox (Windows)"],
  );
  const { body } = await acme.delete(`/api/v2/users/${id}`);
  const removed = body.removed.find(({ what }: { what: string }) => what === "sign_in_devices");
  assert.deepEqual(removed, { what: "sign_in_devices", rows: 2 });
});

test("one who signs in with odd names of their browser is told in one clean line", () => {
  assert.deepEqual(
    [undefined, "", "curl/8.1", "a\r\nBcc: x@example.com\u202e", "\u0000", "x".repeat(500)].map(deviceOf),
    ["–", "–", "curl/8.1", "a Bcc: x@example.com", "–", "x".repeat(60)],
  );
});

/** Makes a learner, who is told of it only if asked for. */
async function addPerson(name: string, more: object = {}): Promise<{ id: number }> {
  const email = `${name.toLowerCase()}@people.example.com`;
  const made = await acme.post("/api/v1/users", { name, email, role: "learner", notify: false, ...more });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}

async function call(url: string, payload: object, user_agent = FIREFOX): Promise<Answer> {
  clock.now = new Date(clock.now.getTime() + 1_000);
  const headers = { "user-agent": user_agent };
  return toAnswer(await lectern.app.inject({ method: "POST", url, payload, headers }));
}

function redeem(token: string, user_agent?: string): Promise<Answer> {
  return call(`${COMPANY}/password_resets/redeem`, { token, password }, user_agent);
}

function tokenIn(text = ""): string {
  const [, token] =
    /https:\/\/lectern\.test\/set-password\?company=acme#token=([\w-]{43})\s/.exec(text) ?? [];
  assert.ok(token, text);
  return token;
}

function personOf({ headers, body }: Answer): Person {
  const [cookie = ""] = String([headers["set-cookie"]].flat()[0]).split(";");
  return new Person(lectern.app, acme.company, { user_id: body.user.id, cookie });
}
