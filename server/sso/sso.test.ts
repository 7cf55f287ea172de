import assert from "node:assert/strict";
import { after, test } from "node:test";
import { addUser } from "../test/people.ts";
import { readEvents, type StoredEvent } from "../test/feed.ts";
import { startIdentityProvider } from "../test/identity-provider.ts";
import { Person, signIn } from "../test/person.ts";
import { type Answer, startServer } from "../test/server.ts";
import { makeLink } from "../sessions/links.ts";

const lectern = await startServer();
const { acme, globex } = lectern;
const redirect_uri = "https://lectern.test/api/v2/companies/acme/single_sign_on/callback";
const provider = await startIdentityProvider(redirect_uri);
after(() => provider[Symbol.asyncDispose]());
after(() => lectern[Symbol.asyncDispose]());

const settings = {
  issuer: provider.issuer,
  ...provider.client,
  makes_users: false,
  new_user_role_id: 34,
  allows_passwords: true,
};
const URL_OF_SETTINGS = "/api/v2/single_sign_on";
const COMPANY = "/api/v2/companies/acme";
const START = `https://lectern.test${COMPANY}/single_sign_on/start`;

test("an administrator sets single sign-on up, and nobody is shown the secret again", async () => {
  assert.equal((await acme.get(URL_OF_SETTINGS)).status, 404);
  const methods = await call(`${COMPANY}/sign_in_methods`);
  assert.deepEqual(methods.body, {
    company: { subdomain: "acme", name: "acme" },
    password: true,
    single_sign_on: null,
  });
  const made = await acme.put(URL_OF_SETTINGS, settings);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { client_secret: _secret, ...shown } = settings;
  const { updated_at: _at, ...body } = made.body;
  assert.deepEqual(body, { ...shown, has_client_secret: true, redirect_uri });
  const { client_secret: _again, ...unchanged } = settings;
  const kept = await acme.request({
    method: "PUT",
    url: URL_OF_SETTINGS,
    payload: unchanged,
    headers: { "if-match": String(made.headers["etag"]) },
  });
  assert.equal(kept.body.has_client_secret, true, "what is left out stays");
  const headers = { "if-match": '"old"' };
  const refused = await acme.request({ method: "PUT", url: URL_OF_SETTINGS, payload: settings, headers });
  assert.equal(refused.status, 412);
  assert.ok(!JSON.stringify(refused.body).includes(settings.client_secret));
  const stored = await lectern.database.read(acme.company, (tx) =>
    tx.sql.selectFrom("identity_providers").selectAll().where("company_id", "=", tx.company.id).execute(),
  );
  assert.ok(!JSON.stringify(stored).includes(settings.client_secret));
  assert.equal((await call(`${COMPANY}/sign_in_methods`)).body.single_sign_on, START);
  for (const issuer of ["http://login.example.com", "ftp://x", "x", "https://a:b@c.example"]) {
    const wrong = await acme.put(URL_OF_SETTINGS, { ...settings, issuer });
    assert.deepEqual([wrong.status, wrong.body.errors[0].field], [422, "issuer"]);
  }
  assert.equal((await acme.put(URL_OF_SETTINGS, { ...settings, new_user_role_id: 99 })).status, 422);
});

test("the first sign-in ties a verified e-mail to its user, who is found by it from then on", async () => {
  const grace = await addUser(acme, "Grace Hopper");
  provider.accounts.set("g-1", { email: "Grace.Hopper@example.com", email_verified: true, name: "G" });
  const first = await travel("g-1");
  assert.equal((await first.person?.get("/api/v2/me"))?.body.user.id, grace.id);
  assert.equal(first.answer.headers["location"], "/");
  const found = await acme.get("/api/v1/users?filter[sso_id]=g-1");
  assert.deepEqual(
    found.body.users.map(({ id }: Answer["body"]) => id),
    [grace.id],
  );
  provider.accounts.set("g-1", { email: "new.name@example.com", email_verified: false });
  assert.equal((await (await travel("g-1")).person?.get("/api/v2/me"))?.body.user.id, grace.id);
  assert.deepEqual(
    (await eventsOf(grace.id)).map(({ type, previous }) => [type, previous]),
    [
      ["user.created", null],
      ["user.updated", { sso_id: null }],
    ],
  );
  await acme.put(`/api/v1/users/${grace.id}/archive`);
  assert.equal((await travel("g-1")).answer.status, 403);
});

test("nobody takes an account over with an e-mail that is not verified, or that another has", async () => {
  for (const claimed of [{ email_verified: false }, {}]) {
    provider.accounts.set("evil", { email: "ada@example.com", ...claimed });
    const { answer } = await travel("evil");
    assert.equal(answer.status, 403);
    assert.equal(answer.headers["set-cookie"], undefined);
  }
  provider.accounts.set("ada", { email: "ada@example.com", email_verified: true });
  assert.equal((await travel("ada")).answer.status, 302);
  provider.accounts.set("evil", { email: "ada@example.com", email_verified: true });
  assert.equal((await travel("evil")).answer.status, 403, "Ada's account is another person's");
  assert.deepEqual((await acme.get("/api/v1/users?filter[sso_id]=evil")).body.users, []);
});

test("who is unknown is made a user where the company wants that, once", async () => {
  provider.accounts.set("new", { email: "mary@example.com", email_verified: true, name: "Mary (Shelley)" });
  assert.equal((await travel("new")).answer.status, 403);
  await acme.put(URL_OF_SETTINGS, { ...settings, makes_users: true });
  provider.accounts.set("unverified", { email: "x@example.com", email_verified: false });
  assert.equal((await travel("unverified")).answer.status, 403);
  const both = await Promise.all([travel("new"), travel("new")]);
  const made = await Promise.all(both.map(async ({ person }) => person?.get("/api/v2/me")));
  const users = made.map((me) => me?.body.user);
  assert.deepEqual(users[0], users[1]);
  const { name, email, role } = users[0];
  assert.deepEqual(
    { name, email, role },
    { name: "Mary Shelley", email: "mary@example.com", role: "creator" },
  );
  const told = await eventsOf(users[0].id);
  assert.deepEqual(
    told.map(({ type, data, notify }) => [type, data["sso_id"], notify]),
    [["user.created", "new", false]],
  );
});

/** What was told of a user. */
async function eventsOf(user_id: number): Promise<StoredEvent[]> {
  const events = await readEvents(lectern.database, acme.company);
  return events.filter((event) => event.user_id === user_id);
}

test("an answer that was not asked for here signs nobody in", async () => {
  const [mine, other] = [await start(), await start()];
  const back = await provider.visit(mine.location, "ada");
  assert.equal((await comeBack(back, "")).status, 401, "another browser");
  assert.equal((await comeBack(back, other.cookie)).status, 401, "another journey");
  const elsewhere = back.href.replace("/acme/", "/globex/");
  await globex.put(URL_OF_SETTINGS, settings);
  assert.equal((await comeBack(new URL(elsewhere), mine.cookie)).status, 401, "another company");
  const changed = new URL(back);
  changed.searchParams.set("state", "x");
  assert.equal((await comeBack(changed, mine.cookie)).status, 401);
  assert.equal((await comeBack(back, mine.cookie)).status, 302);
  assert.equal((await comeBack(back, mine.cookie)).status, 401, "a code counts once");
  const unasked = { "sec-fetch-site": "cross-site" };
  const sent = await lectern.app.inject({ url: `${COMPANY}/single_sign_on/start`, headers: unasked });
  assert.equal(sent.statusCode, 403, "by a page that nobody clicked on");
  const denied = await travel("refused");
  assert.equal(denied.answer.status, 401);
});

test("passwords can be switched off, and the operator still lets an administrator in", async () => {
  await acme.post("/api/v2/users/1/invitations");
  const nowhere = { ...settings, issuer: "http://127.0.0.1:1", allows_passwords: false };
  assert.equal((await acme.put(URL_OF_SETTINGS, nowhere)).status, 503, "not without a provider");
  const off = await acme.put(URL_OF_SETTINGS, { ...settings, allows_passwords: false });
  assert.equal(off.status, 200);
  const ada = { email: "ada@example.com", password: "correct horse battery" };
  assert.equal((await call(`${COMPANY}/sessions`, ada)).status, 403);
  assert.equal((await call(`${COMPANY}/sessions`, { ...ada, email: "nobody@example.com" })).status, 403);
  assert.equal((await call(`${COMPANY}/password_resets`, { email: ada.email })).status, 403);
  const { url } = await lectern.make.write(acme, (tx) => makeLink(tx, "reset", 1));
  const token = url.split("#token=")[1];
  const redeemed = await call(`${COMPANY}/password_resets/redeem`, { token, password: "nine quiet otters" });
  assert.equal(redeemed.status, 201);
  const person = personOf(redeemed);
  assert.deepEqual((await person.delete(URL_OF_SETTINGS)).body, { issuer: settings.issuer });
  assert.equal((await call(`${COMPANY}/sessions`, { ...ada, password: "nine quiet otters" })).status, 201);
  const learner = await signIn(lectern, acme);
  assert.equal((await learner.put(URL_OF_SETTINGS, settings)).status, 403);
});

test("a token that the provider has not signed signs nobody in", async () => {
  await acme.put(URL_OF_SETTINGS, settings);
  assert.equal((await travel("ada")).answer.status, 302);
  await provider.publishOtherKeys();
  await acme.put(URL_OF_SETTINGS, settings);
  assert.equal((await travel("ada")).answer.status, 401);
});

test("another issuer unties everybody: its subjects are other people", async () => {
  await acme.put(URL_OF_SETTINGS, settings);
  assert.equal((await acme.get("/api/v1/users?filter[sso_id]=ada")).body.users.length, 1);
  await acme.put(URL_OF_SETTINGS, { ...settings, issuer: "https://login.example.com" });
  assert.equal((await acme.get("/api/v1/users?filter[sso_id]=ada")).body.users.length, 0);
});

/** Calls as somebody who is not signed in. */
async function call(url: string, payload?: object): Promise<Answer> {
  const answer = await lectern.app.inject({
    method: payload ? "POST" : "GET",
    url,
    ...(payload && { payload }),
  });
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
}

/** Leaves for the provider: where to, and the cookie that a browser keeps. */
async function start(): Promise<{ location: string; cookie: string }> {
  const answer = await lectern.app.inject(`${COMPANY}/single_sign_on/start`);
  assert.equal(answer.statusCode, 302, answer.body);
  const [cookie = ""] = String(answer.headers["set-cookie"]).split(";");
  return { location: String(answer.headers["location"]), cookie };
}

async function comeBack({ pathname, search }: URL, cookie: string): Promise<Answer> {
  const answer = await lectern.app.inject({ url: pathname + search, headers: { cookie } });
  return { status: answer.statusCode, body: answer.body, headers: answer.headers };
}

/** The whole way of somebody to the provider and back. */
async function travel(subject: string) {
  const { location, cookie } = await start();
  const answer = await comeBack(await provider.visit(location, subject), cookie);
  return { answer, person: answer.status === 302 ? personOf(answer) : undefined };
}

function personOf({ headers }: Answer): Person {
  const [cookie = ""] = [headers["set-cookie"] ?? []].flat().map((line) => String(line).split(";")[0] ?? "");
  return new Person(lectern.app, acme.company, { user_id: 0, cookie });
}
