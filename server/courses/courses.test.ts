import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer, type TestServer } from "../test/server.ts";
import { countStatements } from "../test/statement-counter.ts";
import { getCourse } from "./courses.ts";

test("a course is shown with its lessons in order; version 1.1 shows it in short, with its owner", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await makeSafetyCourse(lectern);
  const shown = await acme.get("/api/v1/courses/1");
  assert.deepEqual([shown.status, shown.body], [200, safety]);
  const short = await acme.get("/api/v1.1/courses/1");
  assert.equal(short.status, 200);
  assert.deepEqual(short.body, {
    type: "course",
    resource_type: "course",
    id: 1,
    owner_id: 1,
    title: "Safety & you",
    description: "Old but good",
    lessons: [
      { id: 2, title: "Second" },
      { id: 1, title: "First" },
      { id: 2, title: "Second" },
    ],
  });
  assert.equal(await countStatements(lectern, acme, (tx) => getCourse(tx, 1)), 3);
});

test("a course may have no owner, no description and no lessons", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.course(acme, { title: "Bare" });
  const { body } = await acme.get("/api/v1.1/courses/1");
  const bare = { id: 1, owner_id: null, title: "Bare", description: null, lessons: [] };
  assert.deepEqual(body, { type: "course", resource_type: "course", ...bare });
  assert.deepEqual((await acme.get("/api/v1/courses/1")).body.lessons, []);
});

test("courses are listed whole, the oldest first, in either version", async () => {
  await using lectern = await startServer();
  const { acme, globex, make } = lectern;
  assert.deepEqual((await acme.get("/api/v1/courses")).body, { type: "courses", courses: [] });
  await makeSafetyCourse(lectern);
  await make.course(acme, {
    title: "Gone",
    archived_at: "2021-06-30 22:00:00.123999+00",
    archived_by_user_id: 1,
  });
  const list = {
    type: "courses",
    courses: [
      { id: 1, title: "Safety & you", archived_at: null, archived_by_user_id: null },
      { id: 2, title: "Gone", archived_at: "2021-06-30T22:00:00.123+00:00", archived_by_user_id: 1 },
    ],
  };
  assert.deepEqual((await acme.get("/api/v1/courses")).body, list);
  assert.deepEqual((await acme.get("/api/v1.1/courses")).body, list);
  assert.deepEqual((await globex.get("/api/v1/courses")).body, { type: "courses", courses: [] });
});

test("a course is archived in the company's time, and restored; the second time nothing happens", async () => {
  await using lectern = await startServer();
  const york = await lectern.addCompany({ subdomain: "york", time_zone: "America/New_York" });
  await lectern.make.course(york, { title: "Safety" });
  const active = (await york.get("/api/v1/courses/1")).body;
  const archived = await york.put("/api/v1/courses/1/archive");
  const { archived_at } = archived.body;
  assert.match(archived_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-0[45]:00$/);
  assert.deepEqual([archived.status, archived.body], [200, { ...active, archived_at }]);
  const again = await york.put("/api/v1/courses/1/archive");
  assert.deepEqual([again.status, again.body], [200, archived.body]);
  for (let time = 1; time <= 2; time += 1) {
    const restored = await york.put("/api/v1/courses/1/restore");
    assert.deepEqual([restored.status, restored.body], [200, active]);
  }
});

test("another company's course is not found, as one that is nowhere", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  await makeSafetyCourse(lectern);
  const answers = [
    await globex.get("/api/v1/courses/1"),
    await globex.get("/api/v1.1/courses/1"),
    await globex.put("/api/v1/courses/1/archive"),
    await globex.put("/api/v1/courses/1/restore"),
    await acme.get("/api/v1/courses/2"),
  ];
  for (const { status, body } of answers) {
    const { request_id: _id, ...error } = body;
    assert.deepEqual(error, { type: "error", status: 404, error: "Not Found", message: "Course not found" });
    assert.equal(status, 404);
  }
  assert.equal((await acme.get("/api/v1/courses/x")).status, 400);
  assert.deepEqual((await acme.get("/api/v1/courses/1")).body, safety);
});

const safety = {
  type: "course",
  resource_type: "course",
  id: 1,
  title: "Safety & you",
  assignees_count: 0,
  completed_count: 0,
  description: "Old but good",
  lessons: [
    { id: 2, title: "Second" },
    { id: 1, title: "First" },
    { id: 2, title: "Second" },
  ],
  public: true,
  created_at: "2016-04-03T14:55:00Z",
  last_updated_at: "2016-05-01T00:00:00Z",
  tags: [{ id: 1, resource_type: "tag", name: "Office" }],
  links: {
    overview: "https://lectern.test/courses/1-safety-you",
    shareable: "https://lectern.test/course/1-safety-you",
  },
  archived_at: null,
  archived_by_user_id: null,
};

async function makeSafetyCourse({ acme, make }: TestServer): Promise<void> {
  const first = await make.lesson(acme, { title: "First" });
  const second = await make.lesson(acme, { title: "Second" });
  const id = await make.course(acme, {
    title: "Safety & you",
    description: "Old but good",
    owner_id: 1,
    public: true,
    created_at: "2016-04-03 14:55:00.987654+00",
    last_updated_at: "2016-05-01 00:00:00+00",
    lessons: [second, first, second],
  });
  await make.tag(acme, "Office", [{ type: "Course", id }]);
}
