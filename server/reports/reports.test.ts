import assert from "node:assert/strict";
import { test } from "node:test";
import { addManyUsers } from "../test/people.ts";
import { assign, setState } from "../test/learning.ts";
import { signIn } from "../test/person.ts";
import { type Client, startServer, type TestServer } from "../test/server.ts";

const NOW = new Date("2026-11-21T12:00:00Z");

/** A company whose learners stand in every state. */
async function makeSchool(lectern: TestServer) {
  const { acme: client, make } = lectern;
  const users = await addManyUsers(make, client, 40);
  const lessons = [await make.lesson(client), await make.lesson(client)];
  const path = await make.path(client, {
    contents: [{ resource_type: "lesson", lesson_id: lessons[0] ?? 0 }],
  });
  const states = [
    { status: "Completed", score: 100, started_at: "2026-11-01", completed_at: "2026-11-02" },
    { status: "Completed", score: 55, started_at: "2026-11-01", completed_at: "2026-11-02" },
    { status: "Completed", score: null, started_at: "2026-11-01", completed_at: "2026-11-02" },
    { status: "Grade Pending", started_at: "2026-11-01" },
    { status: "Incomplete", started_at: "2026-11-01" },
    { status: "Incomplete" },
    { status: "Incomplete" },
  ] as const;
  let number = 0;
  for (const thing of [`lessons/${lessons[0]}`, `lessons/${lessons[1]}`, `paths/${path}`]) {
    const assigned = await assign(
      client,
      thing,
      users.map((assignee_id) => ({
        assignee_id,
        due_by: assignee_id % 3 === 0 ? "2026-11-20" : "2026-12-31",
      })),
    );
    for (const { id } of assigned) {
      const state = states[(number += 5) % states.length];
      if (state !== undefined) await setState({ lectern, client }, id, state);
    }
  }
  return { users, lessons, path };
}

interface Assignment {
  readonly assignee_id: number;
  readonly assignable_type: string;
  readonly assignable_id: number;
  readonly status: string;
  readonly started_at: string | null;
  readonly score: number | null;
}

async function listAssignments(client: Client): Promise<Assignment[]> {
  const { body } = await client.get("/api/v1/assignments?per_page=1000");
  assert.equal(body.total_pages, 1);
  return body.assignments;
}

/** The summary, counted one by one from what version 1 lists. */
function recount(assignments: readonly Assignment[]) {
  const count = (is: (assignment: Assignment) => boolean) => assignments.filter(is).length;
  const scores = assignments.flatMap(({ status, score }) =>
    status === "Completed" && score !== null ? [score] : [],
  );
  const isOpen = ({ status }: Assignment) => status === "Incomplete" || status === "Overdue";
  return {
    assigned: assignments.length,
    not_started: count((row) => isOpen(row) && row.started_at === null),
    in_progress: count((row) => isOpen(row) && row.started_at !== null),
    grade_pending: count(({ status }) => status === "Grade Pending"),
    completed: count(({ status }) => status === "Completed"),
    overdue: count(({ status }) => status === "Overdue"),
    average_score:
      scores.length === 0
        ? null
        : Math.round((scores.reduce((sum, score) => sum + score, 0) / scores.length) * 10) / 10,
    average_seconds: null,
  };
}

test("reports are right to the row", async (t) => {
  await using lectern = await startServer({ clock: () => NOW });
  const { acme, globex } = lectern;
  const { users, lessons, path } = await makeSchool(lectern);
  const all = await listAssignments(acme);
  const of = (type: string, id: number | undefined) =>
    all.filter((row) => row.assignable_type === type && row.assignable_id === id);
  const team = users.slice(0, 7);
  const manager = await signIn(lectern, acme, { role: "manager" });
  const group = await acme.post("/api/v1/groups", {
    name: "Team",
    members: team.map((id) => ({ id })),
    managers: [{ id: manager.user_id }],
  });

  await t.test("on the company, a lesson, a path, a group and a user", async () => {
    assert.deepEqual((await acme.get("/api/v2/reports/company")).body, { summary: recount(all) });
    const lesson = await acme.get(`/api/v2/reports/lessons/${lessons[0]}`);
    assert.deepEqual(lesson.body.summary, recount(of("Lesson", lessons[0])));
    assert.equal(lesson.body.title, `Lesson ${lessons[0]}`);
    const scores = of("Lesson", lessons[0]).filter(
      ({ status, score }) => status === "Completed" && score !== null,
    );
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => scores.filter(({ score }) => Math.min(Math.floor((score ?? 0) / 10), 9) === tenth).length,
    );
    assert.deepEqual(lesson.body.score_distribution, tenths);
    const ofPath = await acme.get(`/api/v2/reports/paths/${path}`);
    assert.deepEqual(ofPath.body.summary, recount(of("LearningPaths::Path", path)));
    const ofTeam = all.filter(({ assignee_id }) => team.includes(assignee_id));
    assert.deepEqual((await acme.get(`/api/v2/reports/groups/${group.body.id}`)).body, {
      id: group.body.id,
      name: "Team",
      summary: recount(ofTeam),
    });
    const user = await acme.get(`/api/v2/reports/users/${users[0]}`);
    assert.deepEqual(user.body.summary, recount(all.filter(({ assignee_id }) => assignee_id === users[0])));
    const filtered = await acme.get(
      `/api/v2/reports/lessons/${lessons[1]}?filter[group_id]=${group.body.id}`,
    );
    const expected = of("Lesson", lessons[1]).filter(({ assignee_id }) => team.includes(assignee_id));
    assert.deepEqual(filtered.body.summary, recount(expected));
  });

  await t.test("lists go on where they ended, and their exports say the same", async () => {
    const first = await acme.get("/api/v2/reports/users?limit=25");
    const second = await acme.get(`/api/v2/reports/users?limit=200&cursor=${first.body.next}`);
    assert.equal(second.body.next, null);
    const rows = [...first.body.data, ...second.body.data];
    const { headers } = await lectern.app.inject({
      url: "/api/v2/reports/users/export?format=ndjson",
      headers: { authorization: acme.authorization },
    });
    assert.equal(headers["content-disposition"], 'attachment; filename="users.ndjson"');
    const exported = await lectern.app.inject({
      url: "/api/v2/reports/users/export?format=ndjson",
      headers: { authorization: acme.authorization },
    });
    assert.deepEqual(
      exported.body
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
      rows.map(({ id, name, summary }) => ({ id, name, ...summary })),
    );
  });

  await t.test("a manager sees the results of the people they manage, and of no others", async () => {
    const ofTeam = all.filter(({ assignee_id }) => team.includes(assignee_id));
    assert.deepEqual((await manager.get("/api/v2/reports/company")).body, { summary: recount(ofTeam) });
    assert.equal((await manager.get(`/api/v2/reports/users/${users[0]}`)).status, 200);
    assert.equal((await manager.get(`/api/v2/reports/users/${users[20]}`)).status, 404);
    const lesson = await manager.get(`/api/v2/reports/lessons/${lessons[0]}`);
    const expected = of("Lesson", lessons[0]).filter(({ assignee_id }) => team.includes(assignee_id));
    assert.deepEqual(lesson.body.summary, recount(expected));
  });

  await t.test("a learner reads none, and another company's things are not found", async () => {
    const learner = await signIn(lectern, acme, { role: "learner" });
    assert.equal((await learner.get("/api/v2/reports/company")).status, 403);
    assert.equal((await globex.get(`/api/v2/reports/users/${users[0]}`)).status, 404);
    assert.equal((await globex.get(`/api/v2/reports/groups/${group.body.id}`)).status, 404);
  });
});
