import assert from "node:assert/strict";
import { test } from "node:test";
import { lockCounters } from "../db/counters.ts";
import { locksAreAwaited } from "../test/lock-waits.ts";
import { addGroup, addManyUsers, addUser } from "../test/people.ts";
import { type Client, startServer, type TestServer } from "../test/server.ts";

test("who joins a group as a member gets what it is assigned", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const grace = await addUser(acme, "Grace Hopper", { ext_uid: "G-1" });
  const alan = await addUser(acme, "Alan Turing");
  await addGroup(acme, "Sales");
  const lesson = await make.lesson(acme);
  const path = await make.path(acme);
  const course = await make.course(acme);
  await make.groupAssignment(acme, 1, { type: "Lesson", id: lesson });
  await make.groupAssignment(acme, 1, { type: "LearningPaths::Path", id: path });
  await make.groupAssignment(acme, 1, { type: "Course", id: course });
  await acme.put("/api/v1/groups/1", { members: [{ id: grace.id }], managers: [{ id: alan.id }] });
  const given = { assignee_id: grace.id, group_id: 1, due_by: null, status: "Incomplete" };
  assert.deepEqual(await assignments(lectern, acme), [
    { ...given, assignable_type: "Lesson", assignable_id: lesson },
    { ...given, assignable_type: "LearningPaths::Path", assignable_id: path },
    { ...given, assignable_type: "Course", assignable_id: course },
  ]);
  await acme.put("/api/v1/groups/1", { members: [{ id: grace.id }, { id: alan.id, remove: true }] });
  assert.equal((await assignments(lectern, acme)).length, 3);
});

test("a user who is put into groups gets what each is assigned, a thing of two groups once", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  for (const name of ["Sales", "Support", "Marketing"]) await addGroup(acme, name);
  const shared = await make.lesson(acme);
  const own = await make.lesson(acme);
  const managed = await make.lesson(acme);
  await make.groupAssignment(acme, 1, { type: "Lesson", id: shared });
  await make.groupAssignment(acme, 2, { type: "Lesson", id: shared });
  await make.groupAssignment(acme, 2, { type: "Lesson", id: own });
  await make.groupAssignment(acme, 3, { type: "Lesson", id: managed });
  await acme.put("/api/v1/users/1/groups", { memberships: [{ id: 2 }, { id: 1 }], managing: [{ id: 3 }] });
  const given = { assignee_id: 1, assignable_type: "Lesson", due_by: null, status: "Incomplete" };
  assert.deepEqual(await assignments(lectern, acme), [
    { ...given, assignable_id: shared, group_id: 2 },
    { ...given, assignable_id: own, group_id: 2 },
  ]);
});

test("leaving a group, and the group's end, take no assignment away", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await addGroup(acme, "Sales");
  await make.groupAssignment(acme, 1, { type: "Lesson", id: await make.lesson(acme) });
  await acme.put("/api/v1/groups/1", { members: [{ id: 1 }] });
  const before = await assignments(lectern, acme);
  assert.equal(before.length, 1);
  await acme.put("/api/v1/groups/1", { members: [{ id: 1, remove: "true" }] });
  assert.deepEqual(await assignments(lectern, acme), before);
  await acme.put("/api/v1/users/1/groups", { memberships: [{ id: 1 }] });
  assert.deepEqual(await assignments(lectern, acme), before);
  await acme.delete("/api/v1/groups/1");
  assert.deepEqual(await assignments(lectern, acme), before);
});

test("what is archived is not given to who joins", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await addGroup(acme, "Sales");
  const archived = await make.lesson(acme, { archived_at: "2026-01-01T00:00:00Z" });
  await make.groupAssignment(acme, 1, { type: "Lesson", id: archived });
  await acme.put("/api/v1/groups/1", { members: [{ id: 1 }] });
  assert.deepEqual(await assignments(lectern, acme), []);
});

test("ten thousand people join and leave a group with one request, and one more is too many", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const ids = await addManyUsers(make, acme, 10_000);
  const members = ids.map((id) => ({ id }));
  await addGroup(acme, "Everyone");
  await make.groupAssignment(acme, 1, { type: "Lesson", id: await make.lesson(acme) });
  const refused = await acme.put("/api/v1/groups/1", { members: [...members, { id: 1 }] });
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body.errors, [{ field: "members", message: "can have at most 10000 elements" }]);
  const joined = await acme.put("/api/v1/groups/1", { members });
  assert.equal(joined.status, 200);
  assert.deepEqual(idsOf(joined.body.members), ids.toReversed());
  assert.equal((await assignments(lectern, acme)).length, 10_000);
  const left = await acme.put("/api/v1/groups/1", {
    members: members.slice(1).map(({ id }) => ({ id, remove: true })),
  });
  assert.deepEqual(idsOf(left.body.members), ids.slice(0, 1));
});

test("two identical changes at one moment leave what one leaves", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await addGroup(acme, "Sales");
  await make.groupAssignment(acme, 1, { type: "Lesson", id: await make.lesson(acme) });
  const body = { members: [{ id: 1 }] };
  const answers = await Promise.all(Array.from({ length: 4 }, () => acme.put("/api/v1/groups/1", body)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  assert.deepEqual(idsOf(answers[0]?.body.members), [1]);
  assert.equal((await assignments(lectern, acme)).length, 1);
});

test("a user who is deleted while a group takes them in leaves it again", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const { id: user_id } = await addUser(acme, "Grace");
  await addGroup(acme, "Sales");
  const deleting = await make.write(acme, async (tx) => {
    await lockCounters(tx, "groups");
    const membership = { company_id: tx.company.id, group_id: 1, role: "manager", user_id } as const;
    await tx.sql.insertInto("memberships").values(membership).execute();
    const deleted = acme.delete(`/api/v1/users/${user_id}`);
    await locksAreAwaited(lectern, 1);
    return { deleted };
  });
  assert.equal((await deleting.deleted).status, 200);
  assert.deepEqual((await acme.get("/api/v1/groups/1")).body.managers, []);
});

function idsOf(users: readonly { id: number }[]): number[] {
  return users.map(({ id }) => id);
}

async function assignments({ database }: TestServer, { company }: Client) {
  return database.read(company, (tx) =>
    tx.sql
      .selectFrom("assignments")
      .select(["assignee_id", "assignable_type", "assignable_id", "group_id", "due_by", "status"])
      .where("company_id", "=", tx.company.id)
      .orderBy("id")
      .execute(),
  );
}
