import assert from "node:assert/strict";
import { after, test } from "node:test";
import { tellOverdue } from "../assignments/overdue.ts";
import { followFeed } from "../test/follow-feed.ts";
import { importInto, exportOf } from "../test/bundles.ts";
import { type Person, signIn } from "../test/person.ts";
import { type Client, PUBLIC_URL, startServer } from "../test/server.ts";
import { begin, finish } from "../test/taking.ts";
import { teach } from "../test/taught.ts";
import { tellExpired } from "./expired.ts";
import { openRenewals } from "./renewals.ts";

let now = new Date();
const lectern = await startServer({ clock: () => now });
const { database } = lectern;
after(() => lectern[Symbol.asyncDispose]());

/** A company with a certification of one lesson, which is renewed every year. */
async function open(subdomain: string, time_zone = "UTC") {
  now = new Date();
  const client = await lectern.addCompany({ subdomain, time_zone });
  await tellExpired(database, now, PUBLIC_URL);
  await tellOverdue(database, now, PUBLIC_URL);
  const lesson_id = await teach(lectern, client, { pages: [[{ id: "t", type: "divider" }]] });
  const path_id = await lectern.make.path(client, {
    ...{ title: "First aid", is_certification: true, valid_months: 12, published_version: 1 },
    contents: [{ resource_type: "lesson", lesson_id }],
  });
  return { client, lesson_id, path_id };
}

async function certify(school: Awaited<ReturnType<typeof open>>, person: Person): Promise<void> {
  const { client, lesson_id, path_id } = school;
  await client.put(`/api/v1/paths/${path_id}/assignments`, {
    assignments: [{ assignee_id: person.user_id }],
  });
  await finish(person, await begin(person, lesson_id));
}

function certificate(client: Client, id: number) {
  return client.get(`/api/v2/certificates/${id}`).then(({ body }) => body);
}

test("who had completed a path before it was assigned gets a certificate, told after the assignment it names", async () => {
  const school = await open("before");
  const { client, lesson_id } = school;
  const lea = await signIn(lectern, client);
  const path_id = await lectern.make.path(client, {
    ...{ title: "Known already", is_certification: true, counts_elsewhere: true, published_version: 1 },
    contents: [{ resource_type: "lesson", lesson_id }],
  });
  const assignments = [{ assignee_id: lea.user_id }];
  await client.put(`/api/v1/lessons/${lesson_id}/assignments`, { assignments });
  await finish(lea, await begin(lea, lesson_id));
  const feed = await followFeed(lectern, client);
  await client.put(`/api/v1/paths/${path_id}/assignments`, { assignments });
  assert.deepEqual(
    (await feed.next()).map(({ type }) => type),
    ["assignment.created", "assignment.completed", "certificate.issued"],
  );
});

test("a certificate's life is told from the day that it is issued", async () => {
  const school = await open("aid", "America/New_York");
  const { client } = school;
  const [lea, leo] = [await signIn(lectern, client), await signIn(lectern, client)];
  const feed = await followFeed(lectern, client);
  const tell = async () => {
    const events = await feed.next();
    return events
      .filter(({ type }) => type.startsWith("certificate."))
      .map(({ type, user_id, data, previous }) => ({ type, user_id, data, previous }));
  };
  await certify(school, lea);
  await certify(school, leo);
  const [first, second] = [await certificate(client, 1), await certificate(client, 2)];
  const [ofLea, ofLeo] = [lea, leo].map(({ user_id }) => ({ user_id }));
  assert.deepEqual(await tell(), [
    { ...ofLea, type: "certificate.issued", data: first, previous: null },
    { ...ofLeo, type: "certificate.issued", data: second, previous: null },
  ]);

  await client.post("/api/v2/certificates/2/revoke");
  await client.post("/api/v2/certificates/2/revoke");
  const revoked = await certificate(client, 2);
  assert.deepEqual(await tell(), [
    {
      ...{ ...ofLeo, type: "certificate.revoked", data: revoked },
      previous: { status: "valid", revoked_at: null },
    },
  ]);

  assert.equal(await openRenewals(database, new Date(Date.parse(first.expires_at) - 1_000), PUBLIC_URL), 1);
  const opened = await certificate(client, 1);
  assert.deepEqual(await tell(), [
    { ...ofLea, type: "certificate.renewal_opened", data: opened, previous: { renewal_opened_at: null } },
  ]);

  assert.equal(await tellExpired(database, new Date(Date.parse(first.expires_at) - 1), PUBLIC_URL), 0);
  now = new Date(first.expires_at);
  const told = await Promise.all([1, 2].map(() => tellExpired(database, now, PUBLIC_URL)));
  assert.deepEqual(told.toSorted(), [0, 1], "once, and not of what was revoked");
  // The renewal was due on the last day, which has just ended.
  assert.equal(await tellOverdue(database, now, PUBLIC_URL), 1);
  assert.deepEqual(await tell(), [
    {
      ...{ ...ofLea, type: "certificate.expired" },
      data: { ...opened, status: "expired" },
      previous: { status: "valid" },
    },
  ]);
  await feed.check();

  await client.post(`/api/v2/users/${lea.user_id}/anonymize`);
  const blank = { ...(await certificate(client, 1)), user_name: "Former user" };
  assert.deepEqual(await tell(), [{ ...ofLea, type: "certificate.updated", data: blank, previous: null }]);
  await client.delete(`/api/v2/users/${leo.user_id}`);
  assert.deepEqual(await tell(), [
    { ...ofLeo, type: "certificate.deleted", data: { id: 2 }, previous: null },
  ]);
  await feed.check();
});

test("who expires at one moment is told of together; an import's past is told to nobody", async () => {
  const school = await open("many");
  const lea = await signIn(lectern, school.client);
  await certify(school, lea);
  const bundle = await exportOf(lectern, school.client);
  const [one] = bundle.certificates;
  const certificates = Array.from({ length: 700 }, (_, index) => ({
    ...one,
    id: index + 1,
    number: `X-${index + 1}`,
    expires_at: index === 0 ? "2021-01-01T00:00:00Z" : "2097-01-01T00:00:00Z",
  }));
  const client = await lectern.addCompany({ subdomain: "copy" });
  await tellExpired(database, now, PUBLIC_URL);
  await importInto(lectern, client, { ...bundle, certificates });
  const feed = await followFeed(lectern, client);
  await tellExpired(database, now, PUBLIC_URL);
  assert.deepEqual(await feed.next(), []);
  await tellExpired(database, new Date("2097-01-01T00:00:00Z"), PUBLIC_URL);
  await tellExpired(database, new Date("2097-01-02T00:00:00Z"), PUBLIC_URL);
  const ids = (await feed.next()).map(({ resource_id }) => resource_id);
  assert.deepEqual([ids.length, new Set(ids).size, ids.includes(1)], [699, 699, false]);
});
