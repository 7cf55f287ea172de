import assert from "node:assert/strict";
import { test } from "node:test";
import { addManyUsers } from "../test/people.ts";
import { startServer } from "../test/server.ts";
import { assign, setProgress, setState } from "../test/learning.ts";

test("counts of completions tell how a lesson was completed", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const school = { lectern, client: acme };
  const users = await addManyUsers(make, acme, 3);
  const lesson = await make.lesson(acme);
  const path = await make.path(acme, { contents: [{ resource_type: "lesson", lesson_id: lesson }] });
  const course = await make.course(acme);
  const wishes = users.map((assignee_id) => ({ assignee_id }));
  for (const thing of [`lessons/${lesson}`, `paths/${path}`, `courses/${course}`])
    await assign(acme, thing, wishes);
  await setState(school, 1, { status: "Completed", completed_at: "2026-01-01" });
  await setState(school, 2, { status: "Grade Pending" });
  await setState(school, 4, { status: "Completed", completed_at: "2026-01-01" });
  await setState(school, 7, { status: "Completed", completed_at: "2026-01-01" });
  await setState(school, 8, { status: "Grade Pending" });
  for (const assignment_id of [4, 6]) {
    await setProgress(school, { assignment_id, lesson_id: lesson }, { status: "Grade Pending" });
  }
  const answers: Record<string, object> = {
    [`/api/v1.1/lessons/${lesson}/assignments/completed`]: {
      type: "lesson_assignments_completed",
      completed_count: 1,
    },
    [`/api/v1/paths/${path}/assignments/completed`]: {
      type: "path_assignments_completed",
      completed_count: 1,
    },
    [`/api/v1.1/courses/${course}/assignments/completed`]: {
      type: "course_assignments_completed",
      completed_count: 1,
    },
    [`/api/v1/lessons/${lesson}/total_completions`]: {
      type: "lesson_total_completion_count",
      completion_count: 3,
    },
    [`/api/v1/paths/${path}/total_completions`]: { type: "path_total_completion_count", completion_count: 1 },
    [`/api/v1/lessons/${lesson}/completion_breakdown`]: {
      type: "lesson_completion_breakdown",
      total: 3,
      via_assignment: 2,
      via_other: 1,
    },
  };
  for (const [url, body] of Object.entries(answers)) {
    assert.deepEqual((await acme.get(url)).body, body, url);
    assert.equal((await acme.get(url.replace("/1/", "/9/"))).status, 404, url);
  }
  const old = await acme.get(`/api/v1/lessons/${lesson}/assignments/completed`);
  assert.equal(old.status, 404);
});
