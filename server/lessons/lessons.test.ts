import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer, type TestServer } from "../test/server.ts";
import { countStatements } from "../test/statement-counter.ts";
import { listLessonsInFull } from "./lessons.ts";

test("a lesson is shown with its tags, links and counts; version 1.1 leaves the counts out", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await makeFireSafety(lectern);
  await lectern.make.tag(acme, "Safety", [{ type: "Lesson", id: 1 }]);
  await lectern.make.tag(acme, "Unused");
  await lectern.make.tag(acme, "Office", [{ type: "Lesson", id: 1 }]);
  await setCounts(lectern, { assignees_count: 7, completed_count: 3 });
  const tags = [
    { id: 1, name: "Safety", resource_type: "tag" },
    { id: 3, name: "Office", resource_type: "tag" },
  ];
  const shown = await acme.get("/api/v1/lessons/1");
  assert.equal(shown.status, 200);
  assert.deepEqual(shown.body, { ...fireSafety, assignees_count: 7, completed_count: 3, tags });
  const { assignees_count: _assignees, completed_count: _completed, ...withoutCounts } = shown.body;
  const reduced = await acme.get("/api/v1.1/lessons/1");
  assert.equal(reduced.status, 200);
  assert.deepEqual(reduced.body, withoutCounts);
});

test("lessons are listed whole, the oldest first: version 1 names them, version 1.1 describes them", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  assert.deepEqual((await acme.get("/api/v1/lessons")).body, { type: "lessons", lessons: [] });
  assert.deepEqual((await acme.get("/api/v1.1/lessons")).body, { type: "lessons", lessons: [] });
  await makeFireSafety(lectern);
  await make.lesson(acme, {
    title: "Welcome!",
    public: true,
    created_at: "2016-04-03 14:55:00.999999+00",
    last_updated_at: "2020-01-01 00:00:00+00",
    archived_at: "2021-06-30 22:00:00.123999+00",
    archived_by_user_id: 1,
  });
  const tag_id = await make.tag(acme, "Office", [{ type: "Lesson", id: 2 }]);
  assert.deepEqual((await acme.get("/api/v1/lessons")).body, {
    type: "lessons",
    lessons: [
      { id: 1, title: "Fire Safety", archived_at: null, archived_by_user_id: null },
      { id: 2, title: "Welcome!", archived_at: "2021-06-30T22:00:00.123+00:00", archived_by_user_id: 1 },
    ],
  });
  assert.deepEqual((await acme.get("/api/v1.1/lessons")).body, {
    type: "lessons",
    lessons: [
      {
        id: 1,
        resource_type: "lesson",
        title: "Fire Safety",
        archived_at: null,
        archived_by_user_id: null,
        retake_score: 80,
        public: false,
        created_at: "2016-04-03T14:55:00Z",
        last_updated_at: null,
        tags: [],
        links: { overview: "https://lectern.test/lessons/1-fire-safety" },
      },
      {
        id: 2,
        resource_type: "lesson",
        title: "Welcome!",
        archived_at: "2021-06-30T22:00:00.123+00:00",
        archived_by_user_id: 1,
        retake_score: 80,
        public: true,
        created_at: "2016-04-03T14:55:00Z",
        last_updated_at: "2020-01-01T00:00:00Z",
        tags: [{ id: tag_id, name: "Office", resource_type: "tag" }],
        links: {
          overview: "https://lectern.test/lessons/2-welcome",
          shareable: "https://lectern.test/lesson/2-welcome",
        },
      },
    ],
  });
});

test("a list of lessons with their tags costs two statements, however long it is", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  for (let number = 1; number <= 5; number += 1) {
    await make.tag(acme, `Tag ${number}`, [{ type: "Lesson", id: await make.lesson(acme) }]);
  }
  assert.equal(await countStatements(lectern, acme, listLessonsInFull), 2);
});

test("a company sees no other company's lessons, and nobody can tell that they exist", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  await makeFireSafety(lectern);
  assert.deepEqual((await globex.get("/api/v1/lessons")).body, { type: "lessons", lessons: [] });
  assert.deepEqual((await globex.get("/api/v1.1/lessons")).body, { type: "lessons", lessons: [] });
  const answers = [
    await globex.get("/api/v1/lessons/1"),
    await globex.get("/api/v1.1/lessons/1"),
    await globex.put("/api/v1/lessons/1", { title: "Taken over" }),
    await globex.put("/api/v1/lessons/1/archive"),
    await globex.put("/api/v1/lessons/1/restore"),
    await acme.get("/api/v1/lessons/2"),
    await acme.get("/api/v1/lessons/99999999999999999999999999"),
  ];
  for (const { status, body } of answers) {
    assert.equal(status, 404);
    const { request_id: _id, ...error } = body;
    assert.deepEqual(error, { type: "error", status: 404, error: "Not Found", message: "Lesson not found" });
  }
  assert.deepEqual((await acme.get("/api/v1/lessons/1")).body, fireSafety);
});

test("two companies may have lessons of the same id, each with its own tags and counts", async () => {
  await using lectern = await startServer();
  const { acme, globex, make } = lectern;
  await makeFireSafety(lectern);
  await make.lesson(globex, { title: "Globex lesson" });
  await make.tag(globex, "Globex tag", [{ type: "Lesson", id: 1 }]);
  await setCounts(lectern, { assignees_count: 7, completed_count: 3 });
  const { body } = await globex.get("/api/v1/lessons/1");
  assert.deepEqual(
    [body.title, body.tags, body.assignees_count, body.completed_count],
    ["Globex lesson", [{ id: 1, name: "Globex tag", resource_type: "tag" }], 0, 0],
  );
  assert.deepEqual((await acme.get("/api/v1/lessons/1")).body.tags, []);
});

test("an id in the address that is no positive integer is refused", async () => {
  await using lectern = await startServer();
  for (const id of ["0", "-1", "1.5", "abc", "1e3", "%20", "1%00"]) {
    const { status, body } = await lectern.acme.get(`/api/v1/lessons/${id}`);
    assert.equal(status, 400, id);
    assert.deepEqual(
      body.errors.map((error: { field: string }) => error.field),
      ["lesson_id"],
      id,
    );
  }
});

const fireSafety = {
  id: 1,
  type: "lesson",
  resource_type: "lesson",
  title: "Fire Safety",
  description: "What to do when it burns",
  assignees_count: 0,
  completed_count: 0,
  retake_score: 80,
  public: false,
  created_at: "2016-04-03T14:55:00Z",
  last_updated_at: null,
  archived_at: null,
  archived_by_user_id: null,
  tags: [],
  links: {
    overview: "https://lectern.test/lessons/1-fire-safety",
    shareable: "https://lectern.test/lesson/1-fire-safety",
  },
};

async function makeFireSafety({ make, acme }: TestServer): Promise<void> {
  await make.lesson(acme, {
    title: "Fire Safety",
    description: "What to do when it burns",
    created_at: "2016-04-03 14:55:00.987654+00",
  });
}

async function setCounts(
  { make, acme }: TestServer,
  counts: { assignees_count: number; completed_count: number },
): Promise<void> {
  const completed = { total_completions: counts.completed_count, via_assignment: counts.completed_count };
  await make.write(acme, (tx) =>
    tx.sql
      .updateTable("assignables")
      .set({ ...counts, ...completed })
      .where("company_id", "=", tx.company.id)
      .where("assignable_type", "=", "Lesson")
      .execute(),
  );
}
