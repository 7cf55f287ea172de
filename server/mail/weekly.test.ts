import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assign, setState } from "../test/learning.ts";
import { type Mail, startMailed } from "../test/mailer.ts";
import type { Client } from "../test/server.ts";
import { planWeekly } from "./weekly.ts";

const mailed = await startMailed();
const { lectern, clock, options } = mailed;
const { make } = lectern;
after(() => mailed[Symbol.asyncDispose]());
const tokyo = await lectern.addCompany({ subdomain: "tokyo", time_zone: "Asia/Tokyo" });

test("on Mondays at nine where the company is managers learn how their groups did, once", async () => {
  const [manager, idle, gone] = [await add("Mona"), await add("Ike"), await add("Gone")];
  const [ann, ben, cat] = [await add("Ann"), await add("Ben"), await add("Cat")];
  await addGroup("<b>Sales</b>", [manager, gone], [ann, ben]);
  await addGroup("Support", [manager], [cat]);
  await addGroup("Quiet", [idle], [manager]);
  await addGroup("Empty", [ann], []);
  const archived = await addGroup("Archived", [manager], [ann]);
  await tokyo.put(`/api/v1/groups/${archived}/archive`);
  await tokyo.put(`/api/v1/users/${gone}/archive`);
  // The week before Monday, the 14th of January 2030: it begins and ends at 15:00 UTC of a Sunday.
  await complete(ann, "2030-01-06 14:59:59+00");
  await complete(ann, "2030-01-06 15:00:00+00");
  await complete(ben, "2030-01-13 14:59:59+00");
  await complete(ben, "2030-01-13 15:00:00+00");
  await give(ann, "2030-01-12");
  await give(cat, "2030-01-13");
  await give(cat, "2030-01-14");

  assert.deepEqual(await sendAt("2030-01-13T12:00:00Z"), [], "Sunday");
  assert.deepEqual(await sendAt("2030-01-13T23:59:00Z"), [], "before nine");
  const [mail, ...none] = await sendAt("2030-01-14T00:00:00Z");
  assert.deepEqual([mail?.to, mail?.subject, none], ["mona@example.com", "Your groups last week", []]);
  const text = (mail?.text ?? "").replaceAll("\r\n", "\n");
  assert.match(
    text,
    /<b>Sales<\/b>\n\n- 2 members\n- 2 assignments completed in the past week\n- 1 assignment overdue now\n/,
  );
  assert.match(
    text,
    /Support\n\n- 1 member\n- 0 assignments completed in the past week\n- 1 assignment overdue now\n/,
  );
  assert.doesNotMatch(text, /Archived|Quiet/);
  assert.match(mail?.headers.get("list-unsubscribe") ?? "", /team/);
  assert.deepEqual(await sendAt("2030-01-14T01:00:00Z"), []);
  assert.deepEqual(await sendAt("2030-01-16T01:00:00Z"), []);

  const nora = await add("Nora");
  await addGroup("Night shift", [nora], [ann]);
  assert.deepEqual(await sendAt("2030-01-14T13:13:00Z"), [], "it is ten in the evening");
  assert.deepEqual(await sendAt("2030-01-14T23:13:00Z"), [], "before nine");
  const later = await sendAt("2030-01-15T00:13:00Z");
  assert.deepEqual(
    later.map(({ to }) => to),
    ["nora@example.com"],
  );
  await turnOff(manager);
  await turnOff(nora);
  assert.deepEqual(await sendAt("2030-01-21T00:00:00Z"), []);
});

test("who manages a group and may not see its reports is told no numbers of it", async () => {
  const [oscar, paula, quinn] = [await add("Oscar"), await add("Paula"), await add("Quinn")];
  const member = await add("Rita");
  await addGroup("Reach", [oscar, paula, quinn], [member]);
  await give(member, "2030-02-01");
  const coach = await tokyo.post("/api/v2/roles", { name: "Coach", privileges: ["users.read:managed"] });
  const lead = await tokyo.post("/api/v2/roles", { name: "Lead", privileges: ["reports.read:managed"] });
  await tokyo.put(`/api/v1/users/${oscar}`, { role_id: coach.body.id });
  await tokyo.put(`/api/v1/users/${paula}`, { role_id: lead.body.id });
  assert.deepEqual(await sendAt("2030-02-03T23:00:00Z"), [], "before nine");
  await tokyo.put(`/api/v1/users/${quinn}`, { role: "learner" });
  const told = await sendAt("2030-02-04T00:00:00Z");
  assert.deepEqual(
    told.map(({ to }) => to).filter((to) => !to.startsWith("nora")),
    ["paula@example.com"],
  );
});

async function add(name: string): Promise<number> {
  const email = `${name.toLowerCase()}@example.com`;
  const made = await tokyo.post("/api/v1/users", { name, email, role: "manager", notify: false });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.id;
}

async function addGroup(name: string, managers: number[], members: number[]): Promise<number> {
  const made = await tokyo.post("/api/v1/groups", { name, managers: ids(managers), members: ids(members) });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.id;
}

function ids(users: readonly number[]): { id: number }[] {
  return users.map((id) => ({ id }));
}

async function give(assignee_id: number, due_by: string | null = null): Promise<number> {
  const lesson_id = await make.lesson(tokyo);
  const [given] = await assign(tokyo, `lessons/${lesson_id}`, [{ assignee_id, due_by, notify: false }]);
  return given.id;
}

async function complete(assignee_id: number, completed_at: string): Promise<void> {
  await setState(school(tokyo), await give(assignee_id), { status: "Completed", completed_at });
}

function school(client: Client) {
  return { lectern, client };
}

/** Runs the jobs at a moment. @returns what the managers were mailed. */
async function sendAt(moment: string): Promise<Mail[]> {
  clock.now = new Date(moment);
  await planWeekly(lectern.database, options);
  await mailed.run();
  return mailed.arrived().filter(({ subject }) => subject === "Your groups last week");
}

async function turnOff(user_id: number): Promise<void> {
  await make.write(tokyo, (tx) =>
    tx.sql
      .insertInto("mail_preferences")
      .values({ company_id: tx.company.id, user_id, category: "team" })
      .execute(),
  );
}
