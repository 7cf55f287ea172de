import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { StoredEvent } from "../test/feed.ts";
import { followFeed } from "../test/follow-feed.ts";
import { type Person, signIn } from "../test/person.ts";
import { type Answer, type Client, startServer } from "../test/server.ts";

const lectern = await startServer();
after(() => lectern[Symbol.asyncDispose]());

/** What has happened, but for where in the feed. */
function shown(events: readonly StoredEvent[]): object[] {
  return events.map(({ type, resource_id, user_id, previous }) => ({
    type,
    resource_id,
    user_id,
    previous,
  }));
}

function patch(client: Client | Person, url: string, payload: object): Promise<Answer> {
  return client.request({ method: "PATCH", url, payload });
}

const content = {
  sections: [
    {
      id: "s1",
      title: "All of it",
      pages: [{ id: "p1", title: "One", blocks: [{ type: "divider", id: "d1" }] }],
    },
  ],
};

test("a lesson's life is told as version 2 shows it, with what was before each change", async () => {
  const client = await lectern.addCompany({ subdomain: "lessons" });
  const cleo = await signIn(lectern, client, { role: "creator" });
  const carl = await signIn(lectern, client, { role: "creator" });
  const { body: tag } = await client.post("/api/v2/tags", { name: "Safety" });
  const feed = await followFeed(lectern, client);
  const url = "/api/v2/lessons/1";
  const overview = async () => (await client.get(url)).body;
  const about = { resource_id: 1, user_id: null };

  const made = await cleo.post("/api/v2/lessons", { title: "Fire", content });
  const created = await feed.next();
  assert.deepEqual(shown(created), [{ ...about, type: "lesson.created", previous: null }]);
  assert.deepEqual(created[0]?.data, made.body);

  await patch(cleo, `${url}/draft`, { title: "Fire safety", tag_ids: [tag.id] });
  assert.deepEqual(await feed.next(), [], "nobody but its authors sees a draft");
  await cleo.post(`${url}/publish`, {});
  const published = await feed.next();
  const { title, links, tags, published_version, last_updated_at } = made.body;
  const first = { title, published_version, last_updated_at, tags, links };
  assert.deepEqual(shown(published), [{ ...about, type: "lesson.published", previous: first }]);
  assert.deepEqual(published[0]?.data, await overview());

  await client.put("/api/v1/lessons/1", { retake_score: 60, public: true });
  await client.put("/api/v1/lessons/1", { retake_score: 60 });
  await patch(client, `/api/v2/tags/${tag.id}`, { name: "Be safe" });
  await cleo.put(`${url}/authors/${carl.user_id}`, { role: "owner" });
  const changed = await feed.next();
  assert.deepEqual(
    changed.map(({ type, previous }) => [type, Object.keys(previous ?? {})]),
    [
      ["lesson.updated", ["retake_score", "public", ...sameSecond(changed[0])]],
      ["lesson.updated", ["tags"]],
      ["lesson.updated", ["owner_id"]],
    ],
  );
  assert.deepEqual(changed[1]?.previous, { tags: [tag] });
  assert.deepEqual(changed[2]?.previous, { owner_id: cleo.user_id });
  assert.deepEqual(changed[2]?.data, await overview());

  await carl.post(`${url}/archive`);
  await client.put("/api/v1/lessons/1/archive");
  await client.put("/api/v1/lessons/1/restore");
  await client.delete(`/api/v2/tags/${tag.id}`);
  const rest = await feed.next();
  assert.deepEqual(
    rest.map(({ type }) => type),
    ["lesson.archived", "lesson.restored", "lesson.updated"],
  );
  const { archived_at, archived_by_user_id } = rest[0]?.data ?? {};
  assert.equal(archived_by_user_id, carl.user_id);
  assert.deepEqual(rest[1]?.previous, { archived_at, archived_by_user_id });
  await feed.check();
});

/** A change within the second of the one before leaves the time as it is shown. */
function sameSecond(event: StoredEvent | undefined): string[] {
  return Object.hasOwn(event?.previous ?? {}, "last_updated_at") ? ["last_updated_at"] : [];
}

test("what is copied, read from Markdown or left by a person is told like any other", async () => {
  const client = await lectern.addCompany({ subdomain: "copies" });
  const cleo = await signIn(lectern, client, { role: "creator" });
  const feed = await followFeed(lectern, client);
  await cleo.post("/api/v2/lessons", { title: "Fire" });
  await cleo.post("/api/v2/lessons/1/copy", {});
  await cleo.request({
    method: "POST",
    url: "/api/v2/lessons/markdown",
    headers: { "content-type": "text/markdown" },
    payload: "---\ntitle: Water\ntags:\n  - Sea\n---\n\n# One\n\n## Page\n\nText\n",
  });
  assert.equal((await client.post("/api/v2/lessons", { title: " " })).status, 422);
  assert.deepEqual(
    (await feed.next()).map(({ type, resource_id }) => [type, resource_id]),
    [1, 2, 3].map((id) => ["lesson.created", id]),
  );
  assert.equal((await client.delete(`/api/v2/users/${cleo.user_id}`)).status, 200);
  const disowned = (await feed.next()).filter(({ type }) => type === "lesson.updated");
  assert.deepEqual(
    disowned.map(({ resource_id, previous }) => [resource_id, previous]),
    [1, 2, 3].map((id) => [id, { owner_id: cleo.user_id }]),
  );
  await feed.check();
});

test("paths and courses are told alike", async () => {
  const client = await lectern.addCompany({ subdomain: "paths" });
  const lesson_id = await lectern.make.lesson(client);
  const course_id = await lectern.make.course(client, { title: "Old", lessons: [lesson_id] });
  const tag_id = await lectern.make.tag(client, "First", [{ type: "Course", id: course_id }]);
  const feed = await followFeed(lectern, client);

  const { body: made } = await client.post("/api/v2/paths", {
    title: "Onboarding",
    contents: [{ type: "lesson", lesson_id }],
  });
  const [created] = await feed.next();
  const { contents: _contents, ...overview } = made;
  assert.deepEqual([created?.type, created?.data], ["path.created", overview]);
  assert.equal((await client.post("/api/v2/paths/1/publish", {})).status, 201);
  await client.post("/api/v2/paths/1/copy", {});
  await client.post("/api/v2/paths/1/archive");
  await client.put("/api/v1/paths/1/restore");
  assert.deepEqual(
    (await feed.next()).map(({ type, resource_id }) => [type, resource_id]),
    [
      ["path.published", 1],
      ["path.created", 2],
      ["path.archived", 1],
      ["path.restored", 1],
    ],
  );

  await client.put(`/api/v1/courses/${course_id}/archive`);
  await client.put(`/api/v1/courses/${course_id}/restore`);
  await client.delete(`/api/v2/tags/${tag_id}`);
  const courses = await feed.next();
  const last = courses.at(-1);
  assert.deepEqual(
    courses.map(({ type }) => type),
    ["course.archived", "course.restored", "course.updated"],
  );
  assert.deepEqual(last?.previous, { tags: [{ id: tag_id, resource_type: "tag", name: "First" }] });
  const {
    assignees_count: _assignees,
    completed_count: _completed,
    type: _type,
    ...course
  } = (await client.get(`/api/v1/courses/${course_id}`)).body;
  assert.deepEqual(last?.data, { ...course, owner_id: null, lessons: [{ id: lesson_id }], tags: [] });
  await feed.check();
});
