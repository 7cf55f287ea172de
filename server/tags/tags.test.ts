import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tx } from "../db/db.ts";
import { inDocument, makeAjv } from "../test/answer-check.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { countStatements } from "../test/statement-counter.ts";
import { listTaggedCourses, listTaggedLessons, listTaggedPaths } from "./tagged.ts";

test("tags are listed whole, the oldest first, and shown one by one", async () => {
  await using lectern = await startServer();
  const { acme, globex, make } = lectern;
  assert.deepEqual((await acme.get("/api/v1/tags")).body, { type: "tags", tags: [] });
  await make.tag(acme, "Zeal");
  await make.tag(acme, "<b>Ärger</b>");
  await make.tag(globex, "Theirs");
  const list = await acme.get("/api/v1/tags");
  assert.equal(list.status, 200);
  assert.deepEqual(list.body, {
    type: "tags",
    tags: [
      { id: 1, resource_type: "tag", name: "Zeal" },
      { id: 2, resource_type: "tag", name: "<b>Ärger</b>" },
    ],
  });
  const shown = await acme.get("/api/v1/tags/2");
  assert.equal(shown.status, 200);
  assert.deepEqual(shown.body, { id: 2, type: "tag", resource_type: "tag", name: "<b>Ärger</b>" });
});

test("a tag lists its lessons with their counts, the oldest first", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await makeTaggedContent(lectern);
  const { status, body } = await acme.get("/api/v1/tags/1/lessons");
  assert.equal(status, 200);
  assert.deepEqual(body, {
    type: "tag_lessons",
    lessons: [await withoutType(lectern, "lessons/1"), await withoutType(lectern, "lessons/3")],
  });
  assert.deepEqual(body.lessons[0], {
    id: 1,
    resource_type: "lesson",
    title: "Fire",
    description: "Run!",
    assignees_count: 4,
    completed_count: 2,
    retake_score: 80,
    public: false,
    created_at: "2016-04-03T14:55:00Z",
    last_updated_at: null,
    archived_at: "2021-06-30T22:00:00.000+00:00",
    archived_by_user_id: 1,
    tags: [
      { id: 1, resource_type: "tag", name: "Safety" },
      { id: 2, resource_type: "tag", name: "Office" },
    ],
    links: {
      overview: "https://lectern.test/lessons/1-fire",
      shareable: "https://lectern.test/lesson/1-fire",
    },
  });
});

test("a tag lists its paths with their contents, the oldest first", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await makeTaggedContent(lectern);
  const { status, body } = await acme.get("/api/v1/tags/1/paths");
  assert.equal(status, 200);
  assert.deepEqual(body, {
    type: "tag_paths",
    paths: [await withoutType(lectern, "paths/1"), await withoutType(lectern, "paths/2")],
  });
  const lesson = { archived_at: "2021-06-30T22:00:00.000+00:00", archived_by_user_id: 1 };
  assert.deepEqual(body.paths[1].contents, [
    {
      resource_type: "path",
      id: 1,
      title: "Inner",
      archived_at: null,
      archived_by_user_id: null,
      contents: [{ resource_type: "lesson", id: 1, title: "Fire", ...lesson }],
    },
  ]);
  const published = inDocument({ type: "array", items: { $ref: "#/components/schemas/TaggedPath" } });
  const check = makeAjv(lectern).compile(published);
  assert.ok(check(body.paths), JSON.stringify(check.errors));
});

test("a tag lists its courses in short, each with its lessons and their counts", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await makeTaggedContent(lectern);
  const { status, body } = await acme.get("/api/v1/tags/1/courses");
  assert.equal(status, 200);
  assert.deepEqual(body, {
    type: "tag_courses",
    courses: [
      {
        id: 1,
        resource_type: "course",
        title: "Course",
        assignees_count: 0,
        completed_count: 0,
        description: "All of it",
        lessons: [
          {
            id: 2,
            resource_type: "lesson",
            title: "Lesson 2",
            assignees_count: 0,
            completed_count: 0,
            retake_score: 80,
            description: null,
          },
          {
            id: 1,
            resource_type: "lesson",
            title: "Fire",
            assignees_count: 4,
            completed_count: 2,
            retake_score: 80,
            description: "Run!",
          },
        ],
      },
    ],
  });
});

test("a tag that marks nothing lists nothing", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.tag(acme, "Unused");
  assert.deepEqual((await acme.get("/api/v1/tags/1/lessons")).body, { type: "tag_lessons", lessons: [] });
  assert.deepEqual((await acme.get("/api/v1/tags/1/paths")).body, { type: "tag_paths", paths: [] });
  assert.deepEqual((await acme.get("/api/v1/tags/1/courses")).body, { type: "tag_courses", courses: [] });
});

test("another company's tag is not found, as one that is nowhere", async () => {
  await using lectern = await startServer();
  const { acme, globex, make } = lectern;
  await make.tag(globex, "Theirs", [{ type: "Lesson", id: await make.lesson(globex) }]);
  for (const place of ["1", "1/lessons", "1/paths", "1/courses", "9007199254740993"]) {
    const { status, body } = await acme.get(`/api/v1/tags/${place}`);
    const { request_id: _id, ...error } = body;
    assert.deepEqual(error, { type: "error", status: 404, error: "Not Found", message: "Tag not found" });
    assert.equal(status, 404);
  }
  for (const place of ["0", "x/lessons", "-1/paths", "1.0/courses"]) {
    assert.equal((await acme.get(`/api/v1/tags/${place}`)).status, 400, place);
  }
});

test("what a tag marks costs a handful of statements, however much it is", async () => {
  await using lectern = await startServer();
  await makeTaggedContent(lectern);
  const count = (read: (tx: Tx) => Promise<unknown>) => countStatements(lectern, lectern.acme, read);
  assert.equal(await count((tx) => listTaggedLessons(tx, 1)), 4);
  assert.equal(await count((tx) => listTaggedPaths(tx, 1)), 5);
  assert.equal(await count((tx) => listTaggedCourses(tx, 1)), 4);
});

/** Tag 1 marks lessons 1 and 3, paths 1 and 2 and course 1; tag 2 marks lesson 1. Lesson 1 has counts. */
async function makeTaggedContent({ acme, make }: TestServer): Promise<void> {
  await make.lesson(acme, {
    title: "Fire",
    description: "Run!",
    created_at: "2016-04-03 14:55:00.9+00",
    archived_at: "2021-06-30 22:00:00+00",
    archived_by_user_id: 1,
  });
  await make.lesson(acme);
  await make.lesson(acme, { public: true });
  await make.path(acme, { title: "Inner", contents: [{ resource_type: "lesson", lesson_id: 1 }] });
  await make.path(acme, { title: "Outer", contents: [{ resource_type: "path", nested_path_id: 1 }] });
  await make.path(acme, { title: "Not marked" });
  await make.course(acme, { title: "Course", description: "All of it", lessons: [2, 1] });
  await make.course(acme, { title: "Not marked" });
  await make.tag(acme, "Safety", [
    { type: "LearningPaths::Path", id: 2 },
    { type: "Lesson", id: 3 },
    { type: "Lesson", id: 1 },
    { type: "LearningPaths::Path", id: 1 },
    { type: "Course", id: 1 },
  ]);
  await make.tag(acme, "Office", [{ type: "Lesson", id: 1 }]);
  await make.write(acme, (tx) =>
    tx.sql
      .updateTable("assignables")
      .set({ assignees_count: 4, completed_count: 2, total_completions: 2, via_assignment: 2 })
      .where("company_id", "=", tx.company.id)
      .where("assignable_type", "=", "Lesson")
      .where("assignable_id", "=", 1)
      .execute(),
  );
}

/** What the detail shows, as an item of a list. */
async function withoutType({ acme }: TestServer, place: string) {
  const { type: _type, ...item } = (await acme.get(`/api/v1/${place}`)).body;
  return item;
}
