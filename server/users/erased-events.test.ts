import assert from "node:assert/strict";
import { after, test } from "node:test";
import { sql } from "kysely";
import { describeData, eventTypes } from "../events/types.ts";
import { inDocument, makeAjv } from "../test/answer-check.ts";
import { readEvents, type StoredEvent } from "../test/feed.ts";
import { FeedReader, typesOf } from "../test/feed-reader.ts";
import { addGroup, addUser } from "../test/people.ts";
import { signIn } from "../test/person.ts";
import { type Answer, type Client, startServer } from "../test/server.ts";
import { begin, finish, save } from "../test/taking.ts";
import { teach, trueFalse } from "../test/taught.ts";
import { blankEvents } from "./events.ts";

const lectern = await startServer();
const { database, make } = lectern;
after(() => lectern[Symbol.asyncDispose]());

test("with a user who is deleted goes what events held of them; their things end before they do", async () => {
  const client = await lectern.addCompany({ subdomain: "deleted" });
  const lesson = await make.lesson(client);
  const reader = await FeedReader.open(lectern, client);
  const grace = await addUser(client, "Grace Hopper", { ext_uid: "G-1" });
  const alan = await addUser(client, "Alan Turing");
  await client.put(`/api/v1/users/${grace.id}`, { name: "Grace Brewster Hopper" });
  await addGroup(client, "Friends", {
    members: [{ id: grace.id }, { id: alan.id }],
    managers: [{ id: grace.id }],
  });
  await client.put(`/api/v1/lessons/${lesson}/assignments`, { assignments: [{ assignee_id: grace.id }] });
  await addCertificateEvents(client, grace);
  await make.write(client, async (tx) => {
    const lessons = tx.sql.updateTable("lessons").set({ owner_id: grace.id });
    await lessons.where("company_id", "=", tx.company.id).where("id", "=", lesson).execute();
  });
  await reader.next();
  await client.delete(`/api/v2/users/${grace.id}`);
  const ended = await reader.next();
  assert.deepEqual(typesOf(ended), [
    `lesson.updated ${lesson}`,
    "assignment.deleted 1",
    `membership.deleted of ${grace.id}`,
    `membership.deleted of ${grace.id}`,
    `user.deleted ${grace.id}`,
  ]);
  assert.deepEqual(ended[0]?.previous, { owner_id: grace.id });
  assert.deepEqual(ended.at(-1)?.data, { id: grace.id });
  const all = await readEvents(database, client.company);
  assertForgotten(all, grace);
  assertDescribed(all);
  assert.match(JSON.stringify(all), /Alan Turing/);
  await reader.check();
});

test("to erase a person only the events that hold something of them are read", async () => {
  const client = await lectern.addCompany({ subdomain: "indexed" });
  const grace = await addUser(client, "Grace Hopper");
  const scans = await make.write(client, async (tx) => {
    // With so few events the table would be read whole, were it not forbidden.
    await sql`set local enable_seqscan = off`.execute(tx.sql);
    await blankEvents(tx, grace.id);
    const { rows } = await sql<{ scans: number }>`
      select sum(pg_stat_get_xact_numscans(inhrelid))::int as scans
      from pg_inherits
      where inhparent = 'events_of_person_idx'::regclass`.execute(tx.sql);
    return rows[0]?.scans ?? 0;
  });
  assert.ok(scans > 0);
});

test("with a person who is made anonymous goes what events held of them", async () => {
  const client = await lectern.addCompany({ subdomain: "anonymous" });
  const lesson = await teach(lectern, client, { public: true, pages: [[trueFalse("q")]] });
  const reader = await FeedReader.open(lectern, client);
  const grace = await addUser(client, "Grace Hopper", {
    ext_uid: "G-1",
    custom_user_fields: [{ name: "T", value: "M" }],
  });
  await client.put(`/api/v1/users/${grace.id}`, { name: "Grace Brewster Hopper" });
  await addGroup(client, "Friends", { members: [{ id: grace.id }], managers: [{ id: grace.id }] });
  await addCertificateEvents(client, grace);
  const person = await signIn(lectern, client, { user_id: grace.id });
  const attempt = await begin(person, lesson);
  await save(person, attempt, "q", { value: true });
  await finish(person, attempt);
  const completed = (await reader.next()).find(({ type }) => type === "lesson.completed");
  assert.match(JSON.stringify(completed?.data), /Grace Brewster Hopper.*"T":"M"/);
  assert.equal((await client.post(`/api/v2/users/${grace.id}/anonymize`)).status, 200);
  const told = await reader.next();
  const about = { resource_id: grace.id, user_id: grace.id };
  const { body: profile } = await client.get(`/api/v2/users/${grace.id}`);
  const [left, anonymized, ...more] = told;
  assert.deepEqual(
    [left?.type, left?.data, more],
    ["membership.deleted", { group_id: 1, user_id: grace.id, role: "manager" }, []],
  );
  assert.deepEqual(anonymized, {
    ...{ id: Number(left?.id) + 1, type: "user.anonymized", ...about, notify: false },
    ...{ data: profile, previous: null },
  });
  const all = await readEvents(database, client.company);
  assertForgotten(all, grace);
  assertDescribed(all);
  const nobody = {
    ...{ id: grace.id, ext_uid: null, name: "Former user" },
    ...{ email: `user-${grace.id}@anonymous.invalid`, custom_fields: {} },
  };
  assert.deepEqual(
    all.find(({ type }) => type === "lesson.completed"),
    { ...completed, data: { ...completed?.data, user: nobody, erased: true } },
  );
  await reader.check();
});

/** A certificate that is gone again: its events name the person. */
async function addCertificateEvents(client: Client, { id: user_id, name }: Answer["body"]): Promise<void> {
  const about = { resource_id: 1, user_id };
  await make.write(client, async (tx) => {
    tx.changes.add(
      { ...about, type: "certificate.issued", data: { id: 1, user_id, user_name: name } },
      { ...about, type: "certificate.deleted", data: { id: 1 } },
    );
  });
}

/** Nothing of a person is left, but that there was one, by their id. */
function assertForgotten(events: readonly StoredEvent[], { id }: Answer["body"]): void {
  assert.doesNotMatch(JSON.stringify(events), /Grace|grace|Hopper|G-1|"T"/);
  const profiles = events.filter(
    ({ type, resource_id }) => /^user\.(created|updated)$/.test(type) && resource_id === id,
  );
  assert.equal(profiles.length, 2);
  for (const { data, previous } of profiles) assert.deepEqual([data, previous], [{ id, erased: true }, null]);
}

/** What is left is as the document describes it. The certificates of this file have not all that others have. */
function assertDescribed(events: readonly StoredEvent[]): void {
  const ajv = makeAjv(lectern);
  const erased = events.filter(
    ({ type, data }) => data["erased"] === true && !type.startsWith("certificate."),
  );
  assert.ok(erased.length > 0);
  for (const { type, data } of erased) {
    const described = eventTypes[type];
    assert.ok(described);
    const validate = ajv.compile(inDocument(describeData(described.data)));
    assert.ok(validate(data), `${type} ${ajv.errorsText(validate.errors)}: ${JSON.stringify(data)}`);
  }
}
