import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCountsHold } from "../test/counts.ts";
import { addUser } from "../test/people.ts";
import { startServer } from "../test/server.ts";
import { assign, setProgress, setState, takeTime } from "../test/learning.ts";

test("a lesson, a path and a course are assigned to users, each answer with its own fields", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const grace = await addUser(acme, "Grace", { ext_uid: "g-1" });
  const alan = await addUser(acme, "Alan");
  const lesson = await make.lesson(acme);
  const path = await make.path(acme);
  const course = await make.course(acme);

  const body = {
    assignments: [
      { assignee_id: grace.id, due_by: "2020-12-31", notify: false },
      { assignee_id: String(alan.id), due_by: "2099-01-31T10:00:00.250+02:00" },
    ],
  };
  const graces = {
    id: 1,
    resource_type: "assignment",
    assignee_id: grace.id,
    assignable_type: "Lesson",
    assignable_id: lesson,
    ext_uid: "g-1",
    due_by: "2020-12-31T00:00:00Z",
    reassigned_at: null,
    completed_at: null,
    status: "Overdue",
    score: null,
  };
  const alans = {
    ...graces,
    id: 2,
    assignee_id: alan.id,
    ext_uid: null,
    due_by: "2099-01-31T08:00:00Z",
    status: "Incomplete",
  };
  const ofLesson = await acme.put(`/api/v1/lessons/${lesson}/assignments`, body);
  const updated_at = takeTime(ofLesson.body.assignments[0].updated_at);
  assert.deepEqual(
    [ofLesson.status, ofLesson.body],
    [
      200,
      {
        type: "update_lesson_assignments",
        assignments: [
          { ...graces, updated_at },
          { ...alans, updated_at },
        ],
      },
    ],
  );
  const ofPath = await acme.put(`/api/v1/paths/${path}/assignments`, body);
  const asPath = { assignable_type: "LearningPaths::Path", assignable_id: path };
  assert.deepEqual(
    [ofPath.status, ofPath.body],
    [
      200,
      {
        type: "update_path_assignments",
        assignments: [
          { ...graces, ...asPath, id: 3 },
          { ...alans, ...asPath, id: 4 },
        ],
      },
    ],
  );
  const ofCourse = await acme.post(`/api/v1/courses/${course}/assignments`, body);
  const asCourse = { assignable_type: "Course", assignable_id: course };
  assert.deepEqual(
    [ofCourse.status, ofCourse.body],
    [
      201,
      {
        type: "update_course_assignments",
        assignments: [
          { ...graces, ...asCourse, id: 5 },
          { ...alans, ...asCourse, id: 6 },
        ],
      },
    ],
  );
  const again = await acme.post(`/api/v1/lessons/${lesson}/assignments`, body);
  assert.deepEqual([again.status, again.body], [201, ofLesson.body]);
  const pathAgain = await acme.post(`/api/v1/paths/${path}/assignments`, body);
  assert.deepEqual([pathAgain.status, pathAgain.body], [201, ofPath.body]);
});

test("things are assigned to a user, who sees all that they have", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const grace = await addUser(acme, "Grace", { ext_uid: "g-1" });
  const lesson = await make.lesson(acme);
  const path = await make.path(acme);
  const empty = await acme.get(`/api/v1/users/${grace.id}/assignments`);
  assert.deepEqual(empty.body, { type: "user_assignments", assignments: [] });

  const made = await acme.post(`/api/v1/users/${grace.id}/assignments`, {
    assignments: [
      { assignable_id: path, assignable_type: "LearningPaths::Path", notify: true },
      { assignable_id: lesson, assignable_type: "Lesson", due_by: "2099-12-31" },
      { assignable_id: path, assignable_type: "LearningPaths::Path", due_by: "2100-12-31" },
    ],
  });
  const updated_at = takeTime(made.body.assignments?.[0].updated_at);
  const ofPath = {
    id: 1,
    type: "Assignment",
    resource_type: "assignment",
    assignee_id: grace.id,
    assignable_type: "LearningPaths::Path",
    assignable_id: path,
    ext_uid: "g-1",
    due_by: null,
    reassigned_at: null,
    completed_at: null,
    updated_at,
    status: "Incomplete",
    score: null,
  };
  const ofLesson = {
    ...ofPath,
    id: 2,
    assignable_type: "Lesson",
    assignable_id: lesson,
    due_by: "2099-12-31T00:00:00Z",
  };
  assert.deepEqual(
    [made.status, made.body],
    [201, { type: "create_user_assignments", assignments: [ofPath, ofLesson] }],
  );
  const listed = await acme.get(`/api/v1/users/${grace.id}/assignments?page=7&per_page=1`);
  assert.deepEqual(listed.body, { type: "user_assignments", assignments: [ofPath, ofLesson] });
  assert.deepEqual((await acme.get(`/api/v1.1/users/${grace.id}/assignments`)).body, listed.body);
});

test("assigning without a list, or with an empty one, assigns nothing", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const lesson = await make.lesson(acme);
  for (const body of [undefined, {}, { assignments: [] }]) {
    const answer = await acme.put(`/api/v1/lessons/${lesson}/assignments`, body);
    assert.deepEqual(
      [answer.status, answer.body],
      [200, { type: "update_lesson_assignments", assignments: [] }],
    );
  }
});

test("who is named twice is assigned once, in the order of the request", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const [ada, grace, alan] = [1, (await addUser(acme, "Grace")).id, (await addUser(acme, "Alan")).id];
  const lesson = await make.lesson(acme);
  const assigned = await assign(acme, `lessons/${lesson}`, [
    { assignee_id: alan, due_by: "2099-01-01" },
    { assignee_id: ada },
    { assignee_id: alan, due_by: "2100-01-01" },
    { assignee_id: grace },
    { assignee_id: ada },
  ]);
  assert.deepEqual(
    assigned.map(({ id, assignee_id, due_by }) => [id, assignee_id, due_by]),
    [
      [1, alan, "2099-01-01T00:00:00Z"],
      [2, ada, null],
      [3, grace, null],
    ],
  );
  const { body } = await acme.get(`/api/v1/lessons/${lesson}/assignments`);
  assert.equal(body.total_assignments, 3);
});

test("who has not completed it keeps the assignment as it is: nothing of it moves", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const lesson = await make.lesson(acme);
  await assign(acme, `lessons/${lesson}`, [{ assignee_id: 1, due_by: "2099-01-01" }]);
  const started = { status: "Grade Pending", started_at: "2026-01-02 03:04:05+00", score: 40 } as const;
  for (const state of [{ status: "Incomplete" } as const, started]) {
    await setState({ lectern, client: acme }, 1, state);
    const before = await acme.get("/api/v1/assignments");
    await assign(acme, `lessons/${lesson}`, [{ assignee_id: 1, due_by: "2100-01-01" }]);
    const after = await acme.get("/api/v1/assignments");
    assert.deepEqual(after.body, before.body);
    const since = encodeURIComponent(await readUpdatedAt(lectern, acme));
    assert.deepEqual((await acme.get(`/api/v1/assignments?gt[updated_at]=${since}`)).body.assignments, []);
  }
});

test("who has completed it gets it anew, and the old result is kept", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const school = { lectern, client: acme };
  const lesson = await make.lesson(acme);
  const path = await make.path(acme, { contents: [{ resource_type: "lesson", lesson_id: lesson }] });
  await assign(acme, `paths/${path}`, [{ assignee_id: 1, due_by: "2026-01-31" }]);
  const done = {
    status: "Completed",
    score: 90,
    started_at: "2026-01-02 03:04:05.678901+00",
    completed_at: "2026-01-03 03:04:05.9+00",
  } as const;
  await setProgress(school, { assignment_id: 1, lesson_id: lesson }, done);
  await setState(school, 1, done);
  const {
    assignments: [completed],
  } = (await acme.get("/api/v1.1/assignments")).body;
  assert.equal(completed.status, "Completed");
  assert.equal(completed.completed_at, "2026-01-03T03:04:05Z");

  const [again] = await assign(acme, `paths/${path}`, [{ assignee_id: 1, due_by: "2099-02-01" }]);
  const reassigned_at = takeTime(again.reassigned_at);
  assert.deepEqual(again, {
    id: 1,
    resource_type: "assignment",
    assignee_id: 1,
    assignable_type: "LearningPaths::Path",
    assignable_id: path,
    ext_uid: null,
    due_by: "2099-02-01T00:00:00Z",
    reassigned_at,
    completed_at: null,
    status: "Incomplete",
    score: 90,
  });
  const {
    assignments: [listed],
  } = (await acme.get("/api/v1.1/assignments")).body;
  assert.deepEqual(listed, {
    ...completed,
    due_by: "2099-02-01T00:00:00Z",
    reassigned_at,
    started_at: null,
    completed_at: null,
    updated_at: reassigned_at,
    status: "Incomplete",
    contents: [
      { id: lesson, resource_type: "lesson", started_at: null, completed_at: null, status: "Incomplete" },
    ],
  });

  await setState(school, 1, { ...done, score: 70 });
  await assign(acme, `paths/${path}`, [{ assignee_id: 1 }]);
  const kept = await make.write(acme, (tx) =>
    tx.sql
      .selectFrom("assignment_results")
      .select(["assignment_id", "round", "due_by", "started_at", "completed_at", "score", "contents"])
      .where("company_id", "=", tx.company.id)
      .orderBy("round")
      .execute(),
  );
  const { status: _status, ...result } = done;
  assert.deepEqual(kept, [
    {
      ...result,
      assignment_id: 1,
      round: 1,
      due_by: "2026-01-31 00:00:00+00",
      contents: [{ ...done, lesson_id: lesson }],
    },
    { ...result, assignment_id: 1, round: 2, due_by: "2099-02-01 00:00:00+00", score: 70, contents: [] },
  ]);
  await assertCountsHold(lectern);
});

test("each assigning is written into the audit, and one that changes nothing is not", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const lesson = await make.lesson(acme);
  const wish = [{ assignee_id: 1, due_by: "2099-01-01" }];
  await assign(acme, `lessons/${lesson}`, wish);
  await assign(acme, `lessons/${lesson}`, wish);
  const rows = await make.write(acme, (tx) =>
    tx.sql
      .selectFrom("audit_log")
      .select(["actor_type", "action", "resource_type", "resource_id", "before", "after"])
      .where("company_id", "=", tx.company.id)
      .where("action", "like", "%assignments")
      .execute(),
  );
  assert.deepEqual(rows, [
    {
      actor_type: "api_key",
      action: "update_lesson_assignments",
      resource_type: "lesson",
      resource_id: lesson,
      before: null,
      after: {
        assignments: [{ id: 1, assignee_id: 1, due_by: "2099-01-01 00:00:00.000000+00" }],
      },
    },
  ]);
});

test("two identical requests at the same moment make one assignment for each user", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const lesson = await make.lesson(acme);
  const users = [1, (await addUser(acme, "Grace")).id, (await addUser(acme, "Alan")).id];
  const body = { assignments: users.map((assignee_id) => ({ assignee_id })) };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => acme.put(`/api/v1/lessons/${lesson}/assignments`, body)),
  );
  for (const answer of answers) {
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, answers[0]?.body);
  }
  assert.equal((await acme.get("/api/v1/assignments")).body.total_assignments, 3);
  await assertCountsHold(lectern);
});

type Server = Awaited<ReturnType<typeof startServer>>;

/** The assignment's own time with all its digits, which no answer shows. */
async function readUpdatedAt(lectern: Server, client: Server["acme"]): Promise<string> {
  const { updated_at } = await lectern.make.write(client, (tx) =>
    tx.sql
      .selectFrom("assignments")
      .select("updated_at")
      .where("company_id", "=", tx.company.id)
      .executeTakeFirstOrThrow(),
  );
  return updated_at;
}
