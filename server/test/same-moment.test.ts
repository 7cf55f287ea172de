import assert from "node:assert/strict";
import { test } from "node:test";
import { type Content, makeContent } from "./content.ts";
import { assertCountsHold } from "./counts.ts";
import { addUser } from "./people.ts";
import { type Answer, startServer, type TestServer } from "./server.ts";

test("two identical writes at the same moment: one does it, the other finds it done", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const { user_id, group_id, path_id, lesson_id } = await makeContent(lectern, acme, "Amber");
  const user = { name: "Twin", email: "twin@example.com", role: "learner", ext_uid: "twin" };
  assert.deepEqual(
    statusesOf(await fiveTimes(() => acme.post("/api/v1/users", user))),
    [201, 400, 400, 400, 400],
  );
  const field = { custom_user_fields: [{ name: "Made once", value: "x" }] };
  const changed = await fiveTimes(() => acme.put(`/api/v1/users/${user_id}`, field));
  assert.equal(new Set(changed.map(({ body }) => JSON.stringify(body))).size, 1, "one field, one value");
  const { id } = await addUser(acme, "Fresh");
  for (const [url, assignments] of [
    [`/api/v1/paths/${path_id}/assignments`, [{ assignee_id: id }]],
    [`/api/v1/users/${id}/assignments`, [{ assignable_type: "Lesson", assignable_id: lesson_id }]],
  ] as const) {
    const assigned = await fiveTimes(() => acme.post(url, { assignments }));
    assert.deepEqual(statusesOf(assigned), [201, 201, 201, 201, 201]);
    assert.equal(new Set(assigned.map(({ body }) => body.assignments[0].id)).size, 1, "one assignment");
  }
  const joined = await fiveTimes(() =>
    acme.put(`/api/v1/users/${id}/groups`, { memberships: [{ id: group_id }] }),
  );
  assert.deepEqual(statusesOf(joined), [200, 200, 200, 200, 200]);
  for (const action of ["archive", "restore"]) {
    const done = await fiveTimes(() => acme.put(`/api/v1/users/${id}/${action}`));
    assert.equal(new Set(done.map(({ body }) => JSON.stringify(body))).size, 1, action);
  }
  for (const url of [`/api/v1/users/${id}`, `/api/v1/groups/${group_id}`]) {
    assert.deepEqual(statusesOf(await fiveTimes(() => acme.delete(url))), [200, 404, 404, 404, 404]);
  }
  await assertCountsHold(lectern);
});

function fiveTimes(call: () => Promise<Answer>): Promise<Answer[]> {
  return Promise.all([1, 2, 3, 4, 5].map(call));
}

function statusesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status).toSorted((a, b) => a - b);
}

test("a user who is deleted at the moment that somebody does something with them: either comes first", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const content = await makeContent(lectern, acme, "Amber");
  for (const [index, act] of [...actsOnAUser, ...actsOnAUser].entries()) {
    const { id } = await addUser(acme, `Brief ${index}`);
    const [deleted, done] = await Promise.all([
      acme.delete(`/api/v1/users/${id}`),
      act(lectern, { ...content, user_id: id }),
    ]);
    assert.equal(deleted.status, 200);
    assert.ok(done.status < 500, `act ${index}: ${JSON.stringify(done.body)}`);
    const { body } = await acme.get(`/api/v1/groups/${content.group_id}`);
    const people = [...body.members, ...body.managers].map((person) => person.id);
    assert.ok(!people.includes(id), "nothing of them is left");
  }
  await assertCountsHold(lectern);
});

const actsOnAUser: readonly ((lectern: TestServer, content: Content) => Promise<Answer>)[] = [
  ({ acme }, { user_id, group_id }) => acme.put(`/api/v1/groups/${group_id}`, { members: [{ id: user_id }] }),
  ({ acme }, { user_id, group_id }) =>
    acme.put(`/api/v1/groups/${group_id}`, { managers: [{ id: user_id }] }),
  ({ acme }, { user_id }) => acme.post("/api/v1/groups", { name: "New", members: [{ id: user_id }] }),
  ({ acme }, { user_id, group_id }) =>
    acme.put(`/api/v1/users/${user_id}/groups`, { memberships: [{ id: group_id }] }),
  ({ acme }, { user_id, group_id }) =>
    acme.put(`/api/v1/users/${user_id}/groups`, { managing: [{ id: group_id }] }),
  ({ acme }, { user_id, lesson_id }) =>
    acme.put(`/api/v1/lessons/${lesson_id}/assignments`, { assignments: [{ assignee_id: user_id }] }),
  ({ acme }, { user_id, path_id }) =>
    acme.post(`/api/v1/users/${user_id}/assignments`, {
      assignments: [{ assignable_id: path_id, assignable_type: "LearningPaths::Path" }],
    }),
  ({ acme }, { user_id }) =>
    acme.put(`/api/v1/users/${user_id}`, { custom_user_fields: [{ name: "Late", value: "x" }] }),
  ({ acme }, { user_id }) => acme.put(`/api/v1/users/${user_id}/archive`),
  ({ acme }, { user_id }) => acme.get(`/api/v1/users/${user_id}/assignments`),
];

test("a group that is deleted at the moment that people join it: either comes first", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const { user_id, lesson_id } = await makeContent(lectern, acme, "Amber");
  for (let round = 0; round < 8; round += 1) {
    const { body: group } = await acme.post("/api/v1/groups", { name: `Brief ${round}` });
    await make.groupAssignment(acme, group.id, { type: "Lesson", id: lesson_id });
    const [deleted, ...done] = await Promise.all([
      acme.delete(`/api/v1/groups/${group.id}`),
      acme.put(`/api/v1/groups/${group.id}`, { members: [{ id: user_id }] }),
      acme.put(`/api/v1/users/${user_id}/groups`, {
        memberships: [{ id: group.id }],
        managing: [{ id: group.id }],
      }),
      acme.put(`/api/v1/groups/${group.id}/archive`),
      acme.get(`/api/v1/groups/${group.id}`),
    ]);
    assert.equal(deleted.status, 200);
    for (const { status, body } of done) assert.ok(status < 500, JSON.stringify(body));
  }
  await assertCountsHold(lectern);
});
