import assert from "node:assert/strict";
import { test } from "node:test";
import { lockCounters } from "../db/counters.ts";
import { assertCountsHold } from "../test/counts.ts";
import { addManyUsers } from "../test/people.ts";
import { startServer } from "../test/server.ts";
import { assign, setState } from "../test/learning.ts";
import { assignmentCounters, giveAssignments } from "./give.ts";

test("what a group is assigned is given to who lacks it; the archived get and give nothing", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const [grace = 0, alan = 0, retired = 0] = await addManyUsers(make, acme, 3);
  await acme.put(`/api/v1/users/${retired}/archive`);
  const lesson = await make.lesson(acme);
  const old = await make.lesson(acme, { archived_at: "2026-01-01" });
  const path = await make.path(acme);
  await assign(acme, `lessons/${lesson}`, [{ assignee_id: grace, due_by: "2099-01-01" }]);
  await setState({ lectern, client: acme }, 1, {
    status: "Completed",
    score: 90,
    completed_at: "2026-01-01",
  });
  const { body: before } = await acme.get("/api/v1/assignments");

  const things = [
    { assignable_type: "Lesson", assignable_id: lesson },
    { assignable_type: "Lesson", assignable_id: old },
    { assignable_type: "LearningPaths::Path", assignable_id: path },
    { assignable_type: "Course", assignable_id: 77 },
  ] as const;
  await make.write(acme, async (tx) => {
    const at = await lockCounters(tx, ...assignmentCounters);
    const wanted = [grace, alan, retired, 77, alan].flatMap((assignee_id) =>
      things.map(({ assignable_type, assignable_id }) => ({
        assignee_id,
        assignable_type,
        assignable_id,
        due_by: null,
        group_id: 5,
      })),
    );
    await giveAssignments(tx, wanted, at);
    await giveAssignments(tx, [], at);
  });

  const { body: after } = await acme.get("/api/v1/assignments");
  assert.deepEqual(after.assignments[0], before.assignments[0]);
  assert.deepEqual(
    after.assignments.map((row: Record<string, unknown>) => [
      row["assignee_id"],
      row["assignable_type"],
      row["assignable_id"],
      row["due_by"]?.toString() ?? null,
    ]),
    [
      [grace, "Lesson", lesson, "2099-01-01T00:00:00Z"],
      [grace, "LearningPaths::Path", path, null],
      [alan, "Lesson", lesson, null],
      [alan, "LearningPaths::Path", path, null],
    ],
  );
  const groups = await make.write(acme, (tx) =>
    tx.sql
      .selectFrom("assignments")
      .select("group_id")
      .where("company_id", "=", tx.company.id)
      .orderBy("id")
      .execute(),
  );
  assert.deepEqual(
    groups.map(({ group_id }) => group_id),
    [null, 5, 5, 5],
  );
  await assertCountsHold(lectern);
});
