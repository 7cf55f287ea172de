import assert from "node:assert/strict";
import { test } from "node:test";
import { addManyUsers } from "../test/people.ts";
import { type Client, startServer } from "../test/server.ts";
import { assign, idsOf, nextOf, setState } from "../test/learning.ts";

test("an assignment is overdue from the day after its due date, in the company's time zone", async () => {
  let now = new Date("2026-06-15T12:00:00Z");
  await using lectern = await startServer({ clock: () => now });
  const places = [
    // The day of the due date ends at midnight there: 16 June begins at 04:00 UTC in New York, at 15:00 the day before in Tokyo.
    { time_zone: "America/New_York", last: "2026-06-16T03:59:59.999Z", first: "2026-06-16T04:00:00Z" },
    { time_zone: "Asia/Tokyo", last: "2026-06-15T14:59:59.999Z", first: "2026-06-15T15:00:00Z" },
    { time_zone: "UTC", last: "2026-06-15T23:59:59.999Z", first: "2026-06-16T00:00:00Z" },
  ];
  for (const { time_zone, last, first } of places) {
    now = new Date("2026-06-10T12:00:00Z");
    const company = await lectern.addCompany({
      subdomain: time_zone.toLowerCase().replaceAll(/[^a-z]/g, "-"),
      time_zone,
    });
    const lesson = await lectern.make.lesson(company);
    const dues = ["2026-06-15", "2026-06-15T23:59:59Z", "2026-06-16", null, "2026-06-15", "2026-06-15"];
    const users = await addManyUsers(lectern.make, company, dues.length);
    await assign(
      company,
      `lessons/${lesson}`,
      users.map((assignee_id, index) => ({ assignee_id, due_by: dues[index] })),
    );
    const school = { lectern, client: company };
    await setState(school, 5, { status: "Grade Pending" });
    await setState(school, 6, { status: "Completed", completed_at: "2026-06-12" });
    now = new Date(last);
    assert.deepEqual(await idsByStatus(company), {
      incomplete: [1, 2, 3, 4],
      completed: [6],
      overdue: [],
      grade_pending: [5],
    });
    now = new Date(first);
    assert.deepEqual(await idsByStatus(company), {
      incomplete: [3, 4],
      completed: [6],
      overdue: [1, 2],
      grade_pending: [5],
    });
    const { body } = await company.get("/api/v1/assignments");
    assert.deepEqual(
      body.assignments.map(({ status }: { status: string }) => status),
      ["Overdue", "Overdue", "Incomplete", "Incomplete", "Grade Pending", "Completed"],
    );
    const { body: own } = await company.get(`/api/v1/users/${users[0]}/assignments`);
    assert.equal(own.assignments[0].status, "Overdue");
    const [kept] = await assign(company, `lessons/${lesson}`, [
      { assignee_id: users[1], due_by: "2099-01-01" },
    ]);
    assert.equal(kept.status, "Overdue");
  }
});

test("a status list is paged, and knows only the contract's statuses", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const users = await addManyUsers(make, acme, 3);
  const lesson = await make.lesson(acme);
  await assign(
    acme,
    `lessons/${lesson}`,
    users.map((assignee_id) => ({ assignee_id, due_by: "2020-01-01" })),
  );
  const { body: all } = await acme.get("/api/v1/assignments");
  const second = await acme.get("/api/v1/assignments/overdue?per_page=1&page=2");
  assert.deepEqual(second.body, {
    type: "assignments",
    total_assignments: 3,
    total_pages: 3,
    page: 2,
    per_page: 1,
    assignments: [all.assignments[1]],
  });
  const third = await acme.get(nextOf(second) ?? "");
  assert.deepEqual(third.body.assignments, [all.assignments[2]]);
  assert.equal(third.headers["link"], undefined);
  assert.deepEqual((await acme.get("/api/v1.1/assignments/overdue")).body.total_assignments, 3);
  for (const status of ["Overdue", "late", "1"]) {
    const wrong = await acme.get(`/api/v1/assignments/${status}`);
    assert.deepEqual(
      [wrong.status, wrong.body.errors],
      [400, [{ field: "status", message: "must be one of incomplete, completed, overdue, grade_pending" }]],
    );
  }
});

/** What each status list shows; its total has to be what it shows. */
async function idsByStatus(client: Client): Promise<Record<string, number[]>> {
  const found: Record<string, number[]> = {};
  for (const status of ["incomplete", "completed", "overdue", "grade_pending"]) {
    const { body } = await client.get(`/api/v1/assignments/${status}`);
    found[status] = idsOf(body);
    assert.equal(body.total_assignments, found[status]?.length, status);
  }
  return found;
}
