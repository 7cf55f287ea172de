import assert from "node:assert/strict";
import { test } from "node:test";
import { lockCounters } from "../db/counters.ts";
import { addGroup, addManyUsers, addUser } from "../test/people.ts";
import { type Answer, type Client, startServer } from "../test/server.ts";
import { assign, idsOf, nextOf, setState, takeTime } from "../test/learning.ts";
import { assignmentCounters, giveAssignments } from "./give.ts";

test("the list shows every field of lessons, paths and courses that are assigned", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const grace = await addUser(acme, "Grace", { ext_uid: "g-1" });
  const lesson = await make.lesson(acme);
  const course = await make.course(acme);
  await assign(acme, `lessons/${lesson}`, [{ assignee_id: grace.id, due_by: "2099-12-31" }]);
  await assign(acme, `courses/${course}`, [{ assignee_id: grace.id }]);
  await setState({ lectern, client: acme }, 2, {
    status: "Completed",
    score: 85,
    started_at: "2026-01-02 03:04:05.999999+00",
    completed_at: "2026-01-03 03:04:05+00",
  });
  const { body } = await acme.get("/api/v1/assignments");
  const [first, second] = body.assignments;
  const ofLesson = {
    id: 1,
    resource_type: "assignment",
    assignee_id: grace.id,
    assignable_type: "Lesson",
    assignable_id: lesson,
    ext_uid: "g-1",
    assigned_at: takeTime(first.assigned_at),
    due_by: "2099-12-31T00:00:00Z",
    reassigned_at: null,
    started_at: null,
    completed_at: null,
    updated_at: first.assigned_at,
    status: "Incomplete",
    score: null,
  };
  assert.deepEqual(body, {
    type: "assignments",
    total_assignments: 2,
    total_pages: 1,
    page: 1,
    per_page: 50,
    assignments: [
      ofLesson,
      {
        ...ofLesson,
        id: 2,
        assignable_type: "Course",
        assignable_id: course,
        assigned_at: takeTime(second.assigned_at),
        due_by: null,
        started_at: "2026-01-02T03:04:05Z",
        completed_at: "2026-01-03T03:04:05Z",
        updated_at: takeTime(second.updated_at),
        status: "Completed",
        score: 85,
      },
    ],
  });
  assert.deepEqual((await acme.get("/api/v1.1/assignments")).body, body);
  const none = await lectern.globex.get("/api/v1/assignments");
  assert.deepEqual(none.body, { ...body, total_assignments: 0, total_pages: 0, assignments: [] });
});

test("the lists of a lesson, a path and a course show who has it, a page at a time", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const users = await addManyUsers(make, acme, 5);
  const lesson = await make.lesson(acme);
  const path = await make.path(acme);
  const course = await make.course(acme);
  const wishes = users.map((assignee_id) => ({ assignee_id }));
  for (const thing of [`lessons/${lesson}`, `paths/${path}`, `courses/${course}`]) {
    await assign(acme, thing, wishes);
  }
  const { body: all } = await acme.get("/api/v1/assignments");
  for (const [kind, type, from] of [
    ["lesson", "Lesson", 0],
    ["path", "LearningPaths::Path", 5],
    ["course", "Course", 10],
  ] as const) {
    const url = `/api/v1/${kind}s/1/assignments`;
    const second = await acme.get(`${url}?page=2&per_page=2`);
    assert.deepEqual(second.body, {
      type: `${kind}_assignments`,
      total_assignments: 5,
      total_pages: 3,
      page: 2,
      per_page: 2,
      assignments: all.assignments.slice(from + 2, from + 4),
    });
    assert.equal(second.body.assignments[0].assignable_type, type);
    assert.equal(
      second.headers["link"],
      `<http://localhost${url}?page=3&per_page=2&after=${from + 4}>; rel="next"`,
    );
    const missing = await acme.get(`/api/v1/${kind}s/9/assignments`);
    assert.deepEqual(
      [missing.status, missing.body.message],
      [404, `${kind[0]?.toUpperCase()}${kind.slice(1)} not found`],
    );
  }
});

test("pages partition a long list, wherever they begin, and also while users are deleted", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const users = await addManyUsers(make, acme, 5_000);
  const lesson = await make.lesson(acme);
  const other = await make.lesson(acme);
  await give(lectern, acme, users, [other, lesson]);
  for (const url of ["/api/v1/assignments", `/api/v1/lessons/${lesson}/assignments`]) {
    const { body: whole } = await acme.get(`${url}?per_page=1000`);
    const pages = [];
    for (let page = 1; page <= whole.total_pages; page += 1) {
      const { body } = await acme.get(`${url}?per_page=1000&page=${page}`);
      pages.push(...idsOf(body));
    }
    assert.equal(new Set(pages).size, whole.total_assignments);
    assert.deepEqual(
      pages,
      pages.toSorted((a, b) => a - b),
    );
    const { body: deep } = await acme.get(`${url}?per_page=7&page=600`);
    assert.deepEqual(idsOf(deep), pages.slice(599 * 7, 600 * 7));
    const { body: past } = await acme.get(`${url}?per_page=1000&page=99`);
    assert.deepEqual([past.assignments, past.total_assignments], [[], whole.total_assignments]);
  }
  const walked: number[] = [];
  let url: string | undefined = `/api/v1/lessons/${lesson}/assignments?per_page=1000`;
  // The third to go has been read when it is deleted, like the first; the second has not.
  for (const gone of [users[10], users[2_000], users[11], users[4_999], users[12]]) {
    if (url === undefined) break;
    const answer: Answer = await acme.get(url);
    walked.push(...answer.body.assignments.map(({ assignee_id }: { assignee_id: number }) => assignee_id));
    url = nextOf(answer);
    assert.equal((await acme.delete(`/api/v1/users/${gone}`)).status, 200);
  }
  const missed = users.filter((user) => !walked.includes(user));
  assert.deepEqual(missed, [users[2_000], users[4_999]]);
  assert.equal((await acme.get("/api/v1/assignments")).body.total_assignments, 9_990);
});

test("version 1.1 shows the assignments of a group's members of now", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const [grace, alan, linus] = [
    (await addUser(acme, "Grace")).id,
    (await addUser(acme, "Alan")).id,
    (await addUser(acme, "Linus")).id,
  ];
  const lesson = await make.lesson(acme);
  await assign(
    acme,
    `lessons/${lesson}`,
    [grace, alan, linus].map((assignee_id) => ({ assignee_id })),
  );
  const group = await addGroup(acme, "Physics", {
    members: [{ id: grace }, { id: linus }],
    managers: [{ id: alan }],
  });
  const url = `/api/v1.1/assignments?filter[group_id]=${group.id}`;
  const { body: all } = await acme.get("/api/v1.1/assignments");
  const [ofGrace, , ofLinus] = all.assignments;
  assert.deepEqual((await acme.get(url)).body, {
    ...all,
    total_assignments: 2,
    assignments: [ofGrace, ofLinus],
  });
  assert.deepEqual((await acme.get(`${url}&page=2&per_page=1`)).body.assignments, [ofLinus]);
  const changed = await acme.get(`${url}&gt[updated_at]=2020-01-01`);
  assert.deepEqual(changed.body, { ...all, total_assignments: 2, assignments: [ofLinus, ofGrace] });
  await acme.put(`/api/v1/groups/${group.id}`, { members: [{ id: grace, remove: "true" }] });
  assert.deepEqual((await acme.get(url)).body, { ...all, total_assignments: 1, assignments: [ofLinus] });
  const unknown = await acme.get("/api/v1.1/assignments?filter%5Bgroup_id%5D=99");
  assert.deepEqual(unknown.body, { ...all, total_assignments: 0, total_pages: 0, assignments: [] });
  const ignored = await acme.get(`/api/v1/assignments?filter[group_id]=${group.id}`);
  assert.equal(ignored.body.total_assignments, 3);
});

test("a mistyped filter or page is refused, rather than everything shown", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const told = async (url: string): Promise<unknown[]> => {
    const { status, body } = await acme.get(url);
    return [status, body.message];
  };
  const moment = "must be a date or an ISO 8601 timestamp, such as 2026-12-31 or 2026-12-31T09:00:00Z";
  for (const [url, message] of [
    ["/api/v1/assignments?gt[updated_at]=yesterday", `gt[updated_at] ${moment}`],
    ["/api/v1/assignments?gt[updated_at]=2026-02-30", `gt[updated_at] ${moment}`],
    ["/api/v1/assignments?gt[created_at]=2026-02-20", "gt[created_at] is no filter of this list"],
    ["/api/v1.1/assignments?filter[group]=1", "filter[group] is no filter of this list"],
    ["/api/v1.1/assignments?filter[group_id]=x", "filter[group_id] must be an integer"],
    ["/api/v1/assignments/completed?gt[updated_at]=2026-02-20", "gt[updated_at] is no filter of this list"],
    ["/api/v1/users/1/assignments?filter[status]=x", "filter[status] is no filter of this list"],
    ["/api/v1/assignments?page=0", "page must be a positive integer"],
    ["/api/v1/assignments?after=1~2", "after is no position of this list"],
    ["/api/v1/assignments?gt[updated_at]=2026-01-01&after=17", "after is no position of this list"],
  ] as const) {
    assert.deepEqual(await told(url), [400, message], url);
  }
  assert.deepEqual(await told("/api/v1/users/99/assignments"), [404, "User not found"]);
});

/** Gives every user every lesson, as a group that is assigned them would. */
async function give(
  lectern: Awaited<ReturnType<typeof startServer>>,
  client: Client,
  users: readonly number[],
  lessons: readonly number[],
): Promise<void> {
  await lectern.make.write(client, async (tx) => {
    const at = await lockCounters(tx, ...assignmentCounters);
    const wanted = users.flatMap((assignee_id) =>
      lessons.map((assignable_id) => ({
        ...({ assignee_id, assignable_id, assignable_type: "Lesson", due_by: null, group_id: null } as const),
      })),
    );
    await giveAssignments(tx, wanted, at);
  });
}
