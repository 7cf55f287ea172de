import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assign } from "../test/learning.ts";
import { addManyUsers } from "../test/people.ts";
import { followForMails } from "./follow.ts";
import { forgetMails } from "./forget.ts";
import { updateCompany } from "../companies/operate.ts";
import type { Client } from "../test/server.ts";
import { listMails, type Mail, startMailed } from "../test/mailer.ts";

const mailed = await startMailed();
const { lectern, clock } = mailed;
const { acme, globex, make } = lectern;
after(() => mailed[Symbol.asyncDispose]());

/** Makes a person who is told nothing of it. */
async function person(name: string, more: object = {}): Promise<number> {
  const email = `${name.toLowerCase()}@people.example.com`;
  const { status, body } = await acme.post("/api/v1/users", {
    name,
    email,
    role: "learner",
    notify: false,
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

test("who is given an account and something to learn gets a mail of each, in their language", async () => {
  const made = await acme.post("/api/v1/users", {
    name: "Grace",
    email: "grace@people.example.com",
    role: "learner",
    locale: "de",
    notify: true,
  });
  const lesson_id = await make.lesson(acme, { title: "Fire safety" });
  await assign(acme, `lessons/${lesson_id}`, [{ assignee_id: made.body.id, due_by: "2030-02-01" }]);

  const [account, ...none] = await mailed.after(0);
  assert.deepEqual(none, []);
  assert.deepEqual([account?.to, account?.subject], ["grace@people.example.com", "Ihr Konto bei acme"]);
  assert.equal(account?.headers.get("list-unsubscribe"), undefined);

  const [assigned, ...others] = await mailed.after(1);
  assert.deepEqual(others, []);
  assert.equal(assigned?.subject, "Neu für Sie: Fire safety");
  assert.match(assigned?.text ?? "", /Grace/);
  assert.match(assigned?.text ?? "", /bis zum 1\. Februar 2030/);
  assert.match(assigned?.text ?? "", /https:\/\/lectern\.test\/assignments\/\d+/);
  assert.equal(assigned?.headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
  assert.match(
    assigned?.headers.get("list-unsubscribe") ?? "",
    /^<https:\/\/lectern\.test\/api\/v2\/companies\/acme\/unsubscribe\?token=\S+>$/,
  );
  assert.match(
    assigned?.headers.get("message-id") ?? "",
    new RegExp(`^<${acme.company.id}\\.2\\.[0-9a-f]{16}@lectern\\.test>$`),
  );
  assert.deepEqual(await mailed.after(5), []);
});

test("who asks that nobody is mailed mails nobody; what no longer holds is not told", async () => {
  const user_id = await person("Quiet");
  const lessons = [await make.lesson(acme), await make.lesson(acme)];
  await assign(acme, `lessons/${lessons[0]}`, [{ assignee_id: user_id, notify: false }]);
  assert.deepEqual(await mailed.after(2), []);
  const [given] = await assign(acme, `lessons/${lessons[1]}`, [{ assignee_id: user_id }]);
  await acme.request({ method: "DELETE", url: `/api/v2/assignments/${given.id}` });
  assert.deepEqual(await mailed.after(2), []);
  assert.deepEqual((await listMails(mailed, acme)).at(-1), {
    kind: "assigned",
    status: "dropped",
    tries: 0,
    reason: "What it was to tell no longer held.",
  });
});

test("what arises together is one letter; what comes within an hour waits for nine in the morning", async () => {
  const user_id = await person("Busy");
  const lessons = [];
  for (const title of ["One", "Two", "Three", "Four"]) lessons.push(await make.lesson(acme, { title }));
  const [one, two, three, four] = lessons;
  await assign(acme, `lessons/${one}`, [{ assignee_id: user_id }]);
  await assign(acme, `lessons/${two}`, [{ assignee_id: user_id }]);
  const [first, ...none] = await mailed.after(1);
  assert.deepEqual(none, []);
  assert.equal(first?.subject, "2 things for you");
  assert.match(first?.text ?? "", /Assigned to you[\s\S]*One[\s\S]*Two/);

  await assign(acme, `lessons/${three}`, [{ assignee_id: user_id }]);
  assert.deepEqual(await mailed.after(30), []);
  await assign(acme, `lessons/${four}`, [{ assignee_id: user_id }]);
  assert.deepEqual(await mailed.after(10), []);
  clock.now = new Date("2030-01-08T08:59:00Z");
  assert.deepEqual(await mailed.after(0), []);
  const [morning, ...others] = await mailed.after(1);
  assert.deepEqual(others, []);
  assert.equal(morning?.subject, "2 things for you");
  assert.match(morning?.text ?? "", /Three[\s\S]*Four/);
  assert.doesNotMatch(morning?.text ?? "", /One/);
});

test("a bulk assignment of a hundred, of three lessons, is one letter for each person", async () => {
  const users = await addManyUsers(make, acme, 100);
  for (const title of ["Ethics", "Privacy", "Security"]) {
    const lesson_id = await make.lesson(acme, { title });
    await assign(
      acme,
      `lessons/${lesson_id}`,
      users.map((assignee_id) => ({ assignee_id })),
    );
  }
  const follow = () => followForMails(lectern.database, acme.company, mailed.options);
  await Promise.all([follow(), follow(), follow()]);
  const mails = await mailed.after(2);
  assert.equal(mails.length, 100);
  assert.equal(new Set(mails.map(({ to }) => to)).size, 100);
  assert.deepEqual([...new Set(mails.map(({ subject }) => subject))], ["3 things for you"]);
  assert.equal(new Set(mails.map(({ headers }) => headers.get("message-id"))).size, 100);
});

test("due dates are brought to mind before and after, at nine where the company is, and in one letter", async () => {
  const tokyo = await lectern.addCompany({ subdomain: "tokyo", time_zone: "Asia/Tokyo" });
  const made = await tokyo.post("/api/v1/users", {
    name: "Yuki",
    email: "yuki@example.com",
    role: "learner",
  });
  const user_id = made.body.id;
  const [soon, late] = [
    await make.lesson(tokyo, { title: "Soon" }),
    await make.lesson(tokyo, { title: "Late" }),
  ];
  clock.now = new Date("2030-03-01T12:00:00Z");
  const [ofSoon] = await assign(tokyo, `lessons/${soon}`, [
    { assignee_id: user_id, due_by: "2030-03-12", notify: false },
  ]);
  await assign(tokyo, `lessons/${late}`, [{ assignee_id: user_id, due_by: "2030-03-04", notify: false }]);
  const told: string[][] = [];
  for (let day = 2; day <= 26; day += 1) {
    clock.now = new Date(Date.UTC(2030, 2, day - 1, 23));
    assert.deepEqual(toYuki(await mailed.after(0)), [], "nothing at eight");
    for (const { subject } of toYuki(await mailed.after(60))) told.push([clock.now.toISOString(), subject]);
    if (day === 13) await tokyo.request({ method: "DELETE", url: `/api/v2/assignments/${ofSoon.id}` });
  }
  assert.deepEqual(told, [
    ["2030-03-03T00:00:00.000Z", "Due tomorrow: Late"],
    ["2030-03-05T00:00:00.000Z", "2 things for you"],
    ["2030-03-11T00:00:00.000Z", "Due tomorrow: Soon"],
    ["2030-03-12T00:00:00.000Z", "Overdue: Late"],
    ["2030-03-13T00:00:00.000Z", "Overdue: Soon"],
    ["2030-03-19T00:00:00.000Z", "Overdue: Late"],
    ["2030-03-26T00:00:00.000Z", "Overdue: Late"],
  ]);
});

test("due dates that are moved all day long are one digest, and the next morning's", async () => {
  const kyoto = await lectern.addCompany({ subdomain: "kyoto", time_zone: "Asia/Tokyo" });
  const email = "yuki@example.com";
  const made = await kyoto.post("/api/v1/users", { name: "Yuki", email, role: "learner", notify: false });
  clock.now = new Date("2030-04-01T12:00:00Z");
  const given: number[] = [];
  for (const title of ["One", "Two", "Three"]) {
    const lesson_id = await make.lesson(kyoto, { title });
    const to = { assignee_id: made.body.id, due_by: "2030-06-01", notify: false };
    const [{ id }] = await assign(kyoto, `lessons/${lesson_id}`, [to]);
    given.push(id);
  }
  clock.now = new Date("2030-04-07T23:00:00Z");
  assert.deepEqual(toYuki(await mailed.after(60)), [], "nothing at nine");
  for (const id of given) {
    const payload = { due_by: "2030-04-09" };
    await kyoto.request({ method: "PATCH", url: `/api/v2/assignments/${id}`, payload });
    assert.deepEqual(toYuki(await mailed.after(120)), [], clock.now.toISOString());
  }
  clock.now = new Date("2030-04-08T23:59:00Z");
  const [morning, ...none] = toYuki(await mailed.after(1));
  assert.deepEqual([morning?.subject, none], ["3 things for you", []]);
});

function toYuki(mails: readonly Mail[]): Mail[] {
  return mails.filter(({ to }) => to === "yuki@example.com");
}

test("what waits for the morning waits for that of the time zone that the company has by then", async () => {
  const changes = {
    moving: (client: Client, time_zone: string) =>
      client.request({ method: "PATCH", url: "/api/v2/settings", payload: { time_zone } }),
    moved: (client: Client, time_zone: string) =>
      updateCompany(lectern.database, client.company, { ...AS_IT_IS, time_zone }),
  };
  for (const [subdomain, change] of Object.entries(changes)) {
    clock.now = new Date("2030-05-13T10:00:00Z");
    const client = await lectern.addCompany({ subdomain, time_zone: "Europe/Berlin" });
    const lesson_id = await make.lesson(client, { title: "Moving" });
    await assign(client, `lessons/${lesson_id}`, [{ assignee_id: 1, due_by: "2030-05-15", notify: false }]);
    clock.now = new Date("2030-05-13T22:30:00Z");
    await mailed.run();
    await change(client, "America/New_York");
    assert.deepEqual(await arrivedAt("2030-05-14T07:00:30Z"), [], "it is three in the morning");
    assert.deepEqual(await arrivedAt("2030-05-14T12:59:00Z"), []);
    assert.deepEqual(await arrivedAt("2030-05-14T13:00:30Z"), ["Due tomorrow: Moving"]);
  }
});

const AS_IT_IS = {
  name: undefined,
  requests_per_minute: undefined,
  has_api: undefined,
  has_learning_library: undefined,
};

async function arrivedAt(moment: string): Promise<string[]> {
  clock.now = new Date(moment);
  await mailed.run();
  return mailed.arrived().flatMap(({ subject }) => (subject.includes("Moving") ? subject : []));
}

test("what becomes due at night is told in the morning, and days without a mailer are made up for", async () => {
  const osaka = await lectern.addCompany({ subdomain: "osaka", time_zone: "Asia/Tokyo" });
  const made = await osaka.post("/api/v1/users", {
    name: "Yuki",
    email: "yuki@example.com",
    role: "learner",
  });
  const [first, second] = [
    await make.lesson(osaka, { title: "First" }),
    await make.lesson(osaka, { title: "Second" }),
  ];
  const to = { assignee_id: made.body.id, notify: false };
  clock.now = new Date("2031-05-01T12:00:00Z");
  const [given] = await assign(osaka, `lessons/${first}`, [{ ...to, due_by: "2031-07-01" }]);
  await assign(osaka, `lessons/${second}`, [{ ...to, due_by: "2031-05-04" }]);
  await mailed.after(0);
  clock.now = new Date("2031-05-02T12:00:00Z");
  const url = `/api/v2/assignments/${given.id}`;
  await osaka.request({ method: "PATCH", url, payload: { due_by: "2031-05-03" } });
  assert.deepEqual(toYuki(await mailed.after(60)), [], "it is ten in the evening");
  const [morning] = toYuki(await mailed.after(11 * 60));
  assert.match(morning?.text ?? "", /First[\s\S]*Second/);
  // On the fourth a rung of the first is due, and on the fifth one of the second, and nobody runs until that evening.
  clock.now = new Date("2031-05-05T08:00:00Z");
  const [evening, ...none] = toYuki(await mailed.after(0));
  assert.deepEqual(none, []);
  assert.match(evening?.text ?? "", /Overdue[\s\S]*First[\s\S]*Second/);
});

test("nobody is told what they do not want, or who is archived; what is required always goes", async () => {
  const [unwilling, archived] = [await person("Unwilling"), await person("Archived")];
  const lesson_id = await make.lesson(acme, { title: "Unwanted" });
  await make.write(acme, (tx) =>
    tx.sql
      .insertInto("mail_preferences")
      .values({ company_id: tx.company.id, user_id: unwilling, category: "assignments" })
      .execute(),
  );
  await assign(acme, `lessons/${lesson_id}`, [{ assignee_id: unwilling }, { assignee_id: archived }]);
  await mailed.run();
  await acme.put(`/api/v1/users/${archived}/archive`);
  assert.deepEqual(await mailed.after(2), []);
  assert.deepEqual(
    (await listMails(mailed, acme)).slice(-2).map(({ status, reason }) => [status, reason]),
    [
      ["dropped", "The user does not want mails of this kind."],
      ["dropped", "The user is archived."],
    ],
  );
});

test("who wants no reminders is told what was assigned, though both come to the same morning", async () => {
  const user_id = await person("Oblivious");
  await make.write(acme, (tx) =>
    tx.sql
      .insertInto("mail_preferences")
      .values({ company_id: tx.company.id, user_id, category: "reminders" })
      .execute(),
  );
  clock.now = new Date("2032-05-03T12:00:00Z");
  await assign(acme, `lessons/${await make.lesson(acme)}`, [{ assignee_id: user_id }]);
  assert.equal((await mailed.after(1)).length, 1);
  const lesson_id = await make.lesson(acme, { title: "Fire safety" });
  await assign(acme, `lessons/${lesson_id}`, [{ assignee_id: user_id, due_by: "2032-05-05" }]);
  assert.deepEqual(await mailed.after(1), [], "it waits for the morning");
  clock.now = new Date("2032-05-04T08:59:00Z");
  const mails = await mailed.after(1);
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    ["New for you: Fire safety"],
  );
});

test("erasing a person erases their mails; each company has its own", async () => {
  const user_id = await person("Erased");
  const lesson_id = await make.lesson(acme);
  await assign(acme, `lessons/${lesson_id}`, [{ assignee_id: user_id }]);
  assert.equal((await mailed.after(2)).length, 1);
  const erased = await acme.delete(`/api/v1/users/${user_id}`);
  assert.equal(erased.status, 200, JSON.stringify(erased.body));
  const left = await lectern.database.read(acme.company, (tx) =>
    tx.sql
      .selectFrom("mails")
      .select("id")
      .where("company_id", "=", tx.company.id)
      .where("user_id", "=", user_id)
      .execute(),
  );
  assert.deepEqual(left, []);
  assert.deepEqual(await listMails(mailed, globex), []);
});

test("an address that was refused is open to whoever has it next, once its person is erased or has another", async () => {
  const refused = await Promise.all([person("Moved"), person("Gone")]);
  mailed.server.behave = (moment) => (moment === "rcpt" ? "550 5.1.1 No such user" : "go_on");
  const lesson_id = await make.lesson(acme);
  const give = (ids: readonly number[]) =>
    assign(
      acme,
      `lessons/${lesson_id}`,
      ids.map((assignee_id) => ({ assignee_id })),
    );
  await give(refused);
  assert.deepEqual(await mailed.after(2), []);
  mailed.server.behave = () => "go_on";
  for (const user_id of refused) {
    await acme.put(`/api/v1/users/${user_id}`, { email: `${user_id}@people.example.com` });
  }
  assert.deepEqual(await listRefused(), ["gone@people.example.com", "moved@people.example.com"]);
  const [, gone] = refused;
  assert.equal((await acme.delete(`/api/v2/users/${gone}`)).status, 200);
  assert.deepEqual(await listRefused(), [], "nobody knows any more which of them was whose");
  const next = await Promise.all([person("Moved"), person("Gone")]);
  await give(next);
  assert.deepEqual((await mailed.after(2)).map(({ to }) => to).toSorted(), [
    "gone@people.example.com",
    "moved@people.example.com",
  ]);
  await make.write(acme, (tx) =>
    tx.sql
      .insertInto("mail_addresses_refused")
      .values(
        ["nobody", "gone"].map((name) => ({
          ...{ company_id: tx.company.id, email_key: `${name}@people.example.com` },
          ...{ reason: "550", refused_at: tx.now.toISOString() },
        })),
      )
      .execute(),
  );
  await forgetMails(lectern.database, clock.now);
  assert.deepEqual(await listRefused(), ["gone@people.example.com"]);
});

async function listRefused(): Promise<string[]> {
  const rows = await lectern.database.read(acme.company, (tx) =>
    tx.sql
      .selectFrom("mail_addresses_refused")
      .select("email_key")
      .where("company_id", "=", tx.company.id)
      .orderBy("email_key")
      .execute(),
  );
  return rows.map(({ email_key }) => email_key);
}

test("what was sent long ago is forgotten, and not told again", async () => {
  clock.now = new Date(clock.now.getTime() + 91 * 86_400_000);
  assert.notDeepEqual(await listMails(mailed, acme), []);
  await forgetMails(lectern.database, clock.now);
  assert.deepEqual(await listMails(mailed, acme), []);
  const left = await lectern.database.read(acme.company, (tx) =>
    tx.sql.selectFrom("mail_notices").select("key").where("company_id", "=", tx.company.id).execute(),
  );
  assert.deepEqual(left, []);
  assert.deepEqual(await mailed.after(60), []);
});
