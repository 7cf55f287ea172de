import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { addUser } from "../test/people.ts";
import { Person, signIn } from "../test/person.ts";
import { runCommand } from "../test/lectern.ts";
import { type Answer, PUBLIC_URL, startServer } from "../test/server.ts";
import { hashToken } from "./find.ts";
import { makeLink } from "./links.ts";

let now = Date.now();
const lectern = await startServer({ clock: () => new Date(now), trustedProxies: ["127.0.0.1"] });
const { acme } = lectern;
after(() => lectern[Symbol.asyncDispose]());

/** What is believed of a session, in every process, is forgotten after this long. */
const BELIEVED_MS = 500;
const ADA = { email: "ada@example.com", password: "correct horse battery" };

test("a person signs in, is told who they are, and signs out", async () => {
  const answer = await enter({ ...ADA, email: "ADA@example.com" });
  assert.equal(answer.status, 201);
  const { expires_at, ...body } = answer.body;
  const user = { id: 1, name: "Ada Admin", email: ADA.email, role: "admin", role_id: 42, locale: "en" };
  assert.deepEqual(body, { session_id: 1, user });
  const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 29.9 && days < 30.1, "it ends after 30 days, however much it is used");
  const [cookie = ""] = cookiesOf(answer);
  assert.match(
    cookie,
    /^__Host-lectern=[1-9]\d*\.[\w-]{43}; Max-Age=2592000; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
  );
  const ada = personOf(answer);
  const me = await ada.get("/api/v2/me");
  assert.deepEqual(
    { ...me.body, privileges: me.body.privileges.length > 15 },
    {
      ...{ user, session_id: 1, api_key: null, privileges: true },
      company: { id: acme.company.id, subdomain: "acme", name: "acme", time_zone: "UTC" },
    },
  );
  const ended = await ada.delete("/api/v2/sessions/current");
  assert.deepEqual(ended.body, { id: 1 });
  assert.match(String(cookiesOf(ended)[0]), /^__Host-lectern=; Max-Age=0;/);
  assert.equal((await ada.get("/api/v2/me")).status, 401, "at once, in this process");
  const key = await acme.get("/api/v2/me");
  assert.deepEqual([key.body.user, key.body.session_id, key.body.api_key.id], [null, null, 1]);
  assert.equal((await acme.delete("/api/v2/sessions/current")).status, 403);
});

test("an unknown e-mail, a wrong password and an archived user are refused alike, after like work", async () => {
  const { user, credentials } = await addGuest("Alan Turing");
  await acme.put(`/api/v1/users/${user.id}/archive`);
  const times = { known: [Infinity], unknown: [Infinity] };
  const refusals = [];
  const tries = [
    ["known", { ...ADA, password: "wrong horse battery" }],
    ["unknown", { ...ADA, email: "nobody@example.com" }],
    ["unknown", credentials],
  ] as const;
  for (const [what, given] of [...tries, ...tries, ...tries]) {
    // The processor's time, which is the work that a clock would show on a machine that has nothing else to do.
    const began = process.cpuUsage();
    const { status, body, headers } = await enter(given);
    const { user, system } = process.cpuUsage(began);
    times[what].push(user + system);
    refusals.push({ status, ...body, request_id: "", cookie: headers["set-cookie"] });
  }
  for (const refusal of refusals) assert.deepEqual(refusal, refusals[0]);
  assert.equal(refusals[0]?.status, 401);
  const ratio = Math.min(...times.known) / Math.min(...times.unknown);
  assert.ok(ratio > 0.4 && ratio < 2.5, `known to unknown: ${ratio}`);
});

test("a guesser is stopped, and locks nobody else out", async () => {
  const guess = { ...ADA, password: "wrong horse battery" };
  for (let tries = 0; tries < 5; tries += 1)
    assert.equal((await enterFrom("2001:db8::1", guess)).status, 401);
  const stopped = await enterFrom("2001:db8:0:0:ffff::2", ADA);
  assert.equal(stopped.status, 429, "even with the right password, from anywhere in the network");
  assert.ok(Number(stopped.headers["retry-after"]) > 0);
  assert.equal((await enterFrom("192.0.2.7", ADA)).status, 201, "Ada herself comes from elsewhere");
});

test("a network that fails too often at whatever accounts waits, and others don't", async () => {
  const address = "203.0.113.5";
  const url = "/api/v2/companies/acme/password_resets/redeem";
  const guesses = Array.from({ length: 61 }, (_, link) =>
    enter({ token: `made up ${link}`, password: "nine quiet otters" }, { "x-forwarded-for": address }, url),
  );
  for (const { status } of await Promise.all(guesses)) assert.equal(status, 422);
  assert.equal((await enterFrom(address, { ...ADA, email: "mary@example.com" })).status, 429);
  assert.equal((await enter(ADA)).status, 201);
});

test("a session that was planted before a sign-in is not signed in by it", async () => {
  const planted = await signIn(lectern, acme);
  const answer = await enter(ADA, { cookie: planted.cookie });
  assert.notEqual(personOf(answer).cookie, planted.cookie);
  assert.equal((await planted.get("/api/v2/me")).status, 401);
  const cookie = `__Host-lectern=${acme.company.id}.${"a".repeat(43)}`;
  assert.equal((await enter(ADA, { cookie })).status, 201);
  const madeUp = new Person(lectern.app, acme.company, { user_id: 1, cookie });
  assert.equal((await madeUp.get("/api/v2/me")).status, 401);
});

test("a page of another site neither acts for a person nor signs them in as somebody else", async () => {
  const ada = await signIn(lectern, acme, { user_id: 1 });
  const url = "/api/v2/sessions/current";
  for (const headers of [
    { origin: "https://evil.example", host: "lectern.test" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ]) {
    assert.equal((await ada.request({ method: "DELETE", url, headers })).status, 403);
    assert.equal((await enter(ADA, headers)).status, 403);
  }
  const own = { origin: "http://lectern.test", host: "lectern.test", "sec-fetch-site": "same-origin" };
  assert.equal((await ada.request({ method: "DELETE", url, headers: own })).status, 200);
});

test("people see and end their sessions, administrators those of others", async () => {
  const learner = await signIn(lectern, acme, { role: "learner" });
  const { user_id } = learner;
  const [other, unused] = [
    await signIn(lectern, acme, { user_id }),
    await signIn(lectern, acme, { user_id }),
  ];
  const stranger = await signIn(lectern, acme, { role: "manager" });
  const ada = await signIn(lectern, acme, { user_id: 1 });
  const { body } = await learner.get("/api/v2/sessions?limit=2");
  const [newest, { created_at: _c, last_seen_at: _l, expires_at: _e, ...second }] = body.data;
  assert.deepEqual(second, {
    ...{ id: newest.id - 1, user_id, address: null, user_agent: "Test", is_current: false },
  });
  const rest = await learner.get(`/api/v2/sessions?limit=2&cursor=${body.next}`);
  assert.deepEqual([rest.body.data.length, rest.body.data[0].is_current, rest.body.next], [1, true, null]);
  assert.equal((await stranger.get(`/api/v2/sessions?filter[user_id]=${user_id}`)).status, 404);
  assert.equal((await stranger.delete(`/api/v2/sessions/${second.id}`)).status, 404);
  assert.equal((await ada.get(`/api/v2/sessions?filter[user_id]=${user_id}`)).body.data.length, 3);
  assert.deepEqual((await ada.delete(`/api/v2/sessions/${second.id}`)).body, { id: second.id });
  assert.equal((await other.get("/api/v2/me")).status, 401);
  assert.equal((await stranger.delete(`/api/v2/users/${user_id}/sessions`)).status, 404);
  const spare = await signIn(lectern, acme, { user_id: stranger.user_id });
  const ended = await stranger.delete(`/api/v2/users/${stranger.user_id}/sessions`);
  assert.deepEqual(ended.body, { user_id: stranger.user_id, ended: 1 });
  assert.equal((await spare.get("/api/v2/me")).status, 401);
  await acme.put(`/api/v1/users/${user_id}/archive`);
  await acme.put(`/api/v1/users/${user_id}/restore`);
  await acme.delete(`/api/v1/users/${stranger.user_id}`);
  assert.equal((await unused.get("/api/v2/me")).status, 401, "archiving ended it for good");
  await setTimeout(BELIEVED_MS);
  assert.equal((await learner.get("/api/v2/me")).status, 401);
  assert.equal((await stranger.get("/api/v2/me")).status, 401);
});

test("a new password ends the other sessions and has to be a good one", async () => {
  const { user, person, credentials } = await addGuest("Grace Hopper");
  const elsewhere = await signIn(lectern, acme, { user_id: user.id });
  const change = (new_password: string, current_password = credentials.password) =>
    person.put("/api/v2/me/password", { current_password, new_password });
  const weak = await change("grace.hopper12");
  assert.equal(weak.status, 422);
  assert.equal(weak.body.errors[0].pointer, "/new_password");
  assert.deepEqual((await change("neun stille Ötter", "wrong horse battery")).body.errors, [
    { pointer: "/current_password", field: "current_password", detail: "is wrong" },
  ]);
  assert.deepEqual((await change("neun stille Ötter")).body, { user_id: user.id });
  assert.equal((await elsewhere.get("/api/v2/me")).status, 401);
  assert.equal((await person.get("/api/v2/me")).status, 200);
  assert.equal((await enter(credentials)).status, 401);
  const password = "neun stille Ötter".normalize("NFD");
  assert.equal((await enter({ ...credentials, password })).status, 201, "however it is typed");
  assert.equal(
    (await acme.put("/api/v2/me/password", { current_password: "x", new_password: "y" })).status,
    403,
  );
});

test("a hash that was made with other parameters is made anew when its person signs in", async () => {
  const { user, credentials } = await addGuest("Emmy Noether");
  const nonce = Buffer.alloc(16, 7);
  const tag = argon2Sync("argon2id", {
    ...{ message: credentials.password, nonce, parallelism: 1, tagLength: 32, memory: 64, passes: 1 },
  });
  const [salt, hashed] = [nonce, tag].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
  const old = `$argon2id$v=19$m=64,t=1,p=1$${salt}$${hashed}`;
  const ofEmmy = { company_id: acme.company.id, user_id: user.id };
  await lectern.make.write(acme, (tx) =>
    tx.sql
      .updateTable("passwords")
      .set({ hash: old })
      .where((eb) => eb.and(ofEmmy))
      .execute(),
  );
  assert.equal((await enter({ ...credentials, password: "wrong horse battery" })).status, 401);
  assert.equal((await enter(credentials)).status, 201);
  const { hash } = await lectern.database.read(acme.company, (tx) =>
    tx.sql
      .selectFrom("passwords")
      .select("hash")
      .where((eb) => eb.and(ofEmmy))
      .executeTakeFirstOrThrow(),
  );
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal((await enter(credentials)).status, 201);
});

test("whoever asks for a reset is answered alike, and a person is sent one link at a time", async () => {
  const user = await addUser(acme, "Mary Shelley");
  const answers = await Promise.all([user.email, "nobody@example.com", user.email].map(askForReset));
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    [user.email, "nobody@example.com", user.email].map((email) => [201, { email }]),
  );
  const invited = await acme.post(`/api/v2/users/${user.id}/invitations`);
  const { asked_at: _asked_at, id: _id, ...invitation } = invited.body;
  assert.deepEqual(invitation, { kind: "invitation", user_id: user.id });
  assert.deepEqual(await linksOf(user.id), [
    { kind: "reset", hash: null },
    { kind: "invitation", hash: null },
  ]);
  assert.equal((await acme.post("/api/v2/users/1/invitations")).status, 409, "Ada has a password");
  assert.equal((await acme.post("/api/v2/users/99/invitations")).status, 404);
});

test("the operator's command prints a link that lets somebody in", async () => {
  const { stdout, stderr } = await runCommand({ DATABASE_URL: lectern.ownerUrl, PUBLIC_URL }, [
    "user",
    "reset-link",
    "--subdomain",
    "acme",
    "--email",
    "Ada@example.com",
  ]);
  const [, token] =
    /^https:\/\/lectern\.test\/set-password\?company=acme#token=([\w-]{43})$/m.exec(stdout) ?? [];
  const entered = await redeem({ token, password: ADA.password });
  assert.equal(entered.status, 201, stdout + stderr);
});

test("a link sets a password once, for a while, and for nobody else", async () => {
  const user = await addUser(acme, "Ida Rhodes");
  const password = "nine quiet otters";
  const [token, spare] = [await tokenFor(user.id), await tokenFor(user.id)];
  assert.equal((await redeem({ token, password: "ida.rhodes12" })).body.errors[0].field, "password");
  assert.equal((await redeem({ token, password }, "globex")).status, 422);
  const twice = await Promise.all([
    redeem({ token, password }),
    redeem({ token, password: "nine loud otters!" }),
  ]);
  assert.deepEqual(twice.map(({ status }) => status).toSorted(), [201, 422]);
  for (const entered of twice.filter(({ status }) => status === 201)) {
    assert.equal((await personOf(entered).get("/api/v2/me")).body.user.id, user.id);
  }
  assert.equal((await redeem({ token: spare, password })).status, 422, "a new password voids other links");
  const expired = await tokenFor(user.id);
  now += 3_600_000;
  assert.deepEqual((await redeem({ token: expired, password })).body.errors, [
    { pointer: "/token", field: "token", detail: "is unknown, was used or has expired: ask for a new link" },
  ]);
});

test("a sign-in that is sent again under its Idempotency-Key is one sign-in", async () => {
  const headers = { "idempotency-key": "one" };
  const [first, second] = [await enter(ADA, headers), await enter(ADA, headers)];
  assert.equal(first.status, 201);
  assert.deepEqual(second.body, first.body);
  assert.deepEqual(cookiesOf(second), cookiesOf(first));
  assert.equal((await enter({ ...ADA, password: "wrong horse battery" }, headers)).status, 401);
});

test("a session ends when nobody uses it for twelve hours, and after thirty days in any case", async () => {
  const { user_id } = await signIn(lectern, acme);
  // A session that was just asked about is believed for a while, so each is asked about once.
  const people = await Promise.all(Array.from({ length: 4 }, () => signIn(lectern, acme, { user_id })));
  const [idle, ...used] = people;
  const pass = async (hours: number) => {
    now += hours * 3_600_000;
    const hashes = used.map(({ cookie }) => hashToken(cookie.slice(cookie.indexOf("=") + 1)));
    await lectern.make.write(acme, (tx) =>
      tx.sql
        .updateTable("sessions")
        .set({ last_seen_at: tx.now.toISOString() })
        .where("company_id", "=", tx.company.id)
        .where("hash", "in", hashes)
        .execute(),
    );
  };
  await pass(11);
  await pass(2);
  assert.equal((await idle?.get("/api/v2/me"))?.status, 401);
  assert.equal((await used[0]?.get("/api/v2/sessions"))?.body.data.length, used.length);
  await pass(30 * 24 - 14);
  assert.equal((await used[1]?.get("/api/v2/me"))?.status, 200);
  await pass(2);
  assert.equal((await used[2]?.get("/api/v2/me"))?.status, 401);
});

let addresses = 0;

/** Sends what signs in, each time from another address, as the tests try more often than a person may. */
async function enter(
  payload: object,
  headers: Record<string, string> = {},
  url = "/api/v2/companies/acme/sessions",
): Promise<Answer> {
  addresses += 1;
  const from = { "x-forwarded-for": `198.51.100.${addresses}` };
  const answer = await lectern.app.inject({ method: "POST", url, payload, headers: { ...from, ...headers } });
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
}

function enterFrom(address: string, given: object): Promise<Answer> {
  return enter(given, { "x-forwarded-for": address });
}

function redeem(given: object, company = "acme"): Promise<Answer> {
  return enter(given, {}, `/api/v2/companies/${company}/password_resets/redeem`);
}

function askForReset(email: string): Promise<Answer> {
  return enter({ email }, {}, "/api/v2/companies/acme/password_resets");
}

function cookiesOf({ headers }: Answer): string[] {
  return [headers["set-cookie"] ?? []].flat().map(String);
}

function personOf(answer: Answer): Person {
  const [cookie = ""] = cookiesOf(answer)[0]?.split(";") ?? [];
  return new Person(lectern.app, acme.company, { user_id: answer.body.user.id, cookie });
}

async function tokenFor(user_id: number): Promise<string> {
  const { url } = await lectern.make.write(acme, (tx) => makeLink(tx, "reset", user_id));
  return url.slice(url.indexOf("#token=") + "#token=".length);
}

/** A learner with a password. */
async function addGuest(name: string, password = "nine quiet otters") {
  const user = await addUser(acme, name);
  const token = await tokenFor(user.id);
  const set = await redeem({ token, password });
  assert.equal(set.status, 201, JSON.stringify(set.body));
  return { user, person: personOf(set), credentials: { email: user.email, password } };
}

function linksOf(user_id: number) {
  return lectern.database.read(acme.company, (tx) =>
    tx.sql
      .selectFrom("sign_in_links")
      .select(["kind", "hash"])
      .where("company_id", "=", tx.company.id)
      .where("user_id", "=", user_id)
      .orderBy("id")
      .execute(),
  );
}
