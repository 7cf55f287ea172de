import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser } from "../test/people.ts";
import { startServer } from "../test/server.ts";

test("one wrong element refuses the whole request, and says which", async () => {
  await using lectern = await startServer();
  const { acme, globex, make } = lectern;
  const lesson = await make.lesson(acme);
  const retired = await make.lesson(acme, { archived_at: "2026-01-01" });
  const grace = await addUser(acme, "Grace");
  await addUser(acme, "Alan");
  await addUser(globex, "Linus");
  await addUser(globex, "Edsger");
  const foreign = (await addUser(globex, "Donald")).id;
  await acme.put(`/api/v1/users/${grace.id}/archive`);
  const unknown = await acme.put(`/api/v1/lessons/${lesson}/assignments`, {
    assignments: [{ assignee_id: 1 }, { assignee_id: foreign }, { assignee_id: grace.id }],
  });
  assert.deepEqual(
    [unknown.status, unknown.body.errors],
    [
      400,
      [
        { field: "assignments[1].assignee_id", message: "names no user of this company" },
        { field: "assignments[2].assignee_id", message: "is archived: restore the user first" },
      ],
    ],
  );
  const things = await acme.post("/api/v1/users/1/assignments", {
    assignments: [
      { assignable_id: lesson, assignable_type: "Lesson" },
      { assignable_id: retired, assignable_type: "Lesson" },
      { assignable_id: 77, assignable_type: "LearningPaths::Path" },
    ],
  });
  assert.deepEqual(
    [things.status, things.body.errors],
    [
      400,
      [
        { field: "assignments[1].assignable_id", message: "is archived: restore the lesson first" },
        { field: "assignments[2].assignable_id", message: "names no path of this company" },
      ],
    ],
  );
  assert.equal((await acme.get("/api/v1/assignments")).body.total_assignments, 0);
});

test("what is archived or unknown can't be assigned, nor can anything to it", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const grace = await addUser(acme, "Grace");
  await acme.put(`/api/v1/users/${grace.id}/archive`);
  const lesson = await make.lesson(acme, { archived_at: "2026-01-01" });
  const body = { assignments: [{ assignee_id: 1 }] };
  const wish = { assignments: [{ assignable_id: lesson, assignable_type: "Lesson" }] };
  const told = async (url: string, sent: object): Promise<unknown[]> => {
    const answer = await acme.post(url, sent);
    return [answer.status, answer.body.message];
  };
  assert.deepEqual(await told(`/api/v1/lessons/${lesson}/assignments`, body), [
    400,
    "This lesson is archived: restore it first",
  ]);
  assert.deepEqual(await told(`/api/v1/users/${grace.id}/assignments`, wish), [
    400,
    "This user is archived: restore it first",
  ]);
  assert.deepEqual(await told("/api/v1/lessons/99/assignments", body), [404, "Lesson not found"]);
  assert.deepEqual(await told("/api/v1/paths/99/assignments", body), [404, "Path not found"]);
  assert.deepEqual(await told("/api/v1/courses/99/assignments", body), [404, "Course not found"]);
  assert.deepEqual(await told("/api/v1/users/99/assignments", wish), [404, "User not found"]);
});

test("what is still being written is assigned by version 1, as its contract knows no drafts, and refused by version 2", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const { body: lesson } = await acme.post("/api/v2/lessons", { title: "Fire" });
  const wish = { assignable_type: "Lesson", assignable_id: lesson.id };
  const refused = await acme.post("/api/v2/assignments", { ...wish, user_ids: [1] });
  assert.deepEqual([refused.status, refused.body.detail], [409, "This lesson is not published yet"]);
  const body = { assignments: [{ assignee_id: 1 }] };
  assert.equal((await acme.put(`/api/v1/lessons/${lesson.id}/assignments`, body)).status, 200);
});

test("a request that can't be read is told every field that is wrong", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const lesson = await make.lesson(acme);
  const wrong = await acme.put(`/api/v1/lessons/${lesson}/assignments`, {
    assignments: [{ assignee_id: "x", due_by: "2026-02-30", notify: "perhaps" }, {}],
  });
  assert.deepEqual(
    [wrong.status, wrong.body.errors],
    [
      400,
      [
        { field: "assignments[0].assignee_id", message: "must be an integer" },
        {
          field: "assignments[0].due_by",
          message: "must be a date or an ISO 8601 timestamp, such as 2026-12-31 or 2026-12-31T09:00:00Z",
        },
        { field: "assignments[0].notify", message: "must be a boolean" },
        { field: "assignments[1].assignee_id", message: "is required" },
      ],
    ],
  );
  const course = await acme.post("/api/v1/users/1/assignments", {
    assignments: [{ assignable_id: 1, assignable_type: "Course" }],
  });
  assert.deepEqual(
    [course.status, course.body.message],
    [400, "assignments[0].assignable_type must be one of Lesson, LearningPaths::Path"],
  );
  const nothing = await acme.post("/api/v1/users/1/assignments");
  assert.deepEqual([nothing.status, nothing.body.message], [400, "assignments is required"]);
});
