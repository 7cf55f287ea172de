import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { assertCountsHold } from "../test/counts.ts";
import { exportOf, exportText, importInto, least, refusalOf } from "../test/bundles.ts";
import { followForMails } from "../mail/follow.ts";
import { Delivering, idsOf, makeWebhook } from "../test/delivering.ts";
import { startReceiver } from "../test/receiver.ts";
import { startServer } from "../test/server.ts";
import { importBundle } from "./import.ts";

/** One of everything, with ids far apart, so that none is taken for another. */
const small = {
  users: [
    least.user(700, { ext_uid: "E700", created_at: "2020-02-02" }),
    least.user(7_000, {
      role_id: 36,
      archived_at: "2024-10-13T09:34:24.151-04:00",
      archived_by_user_id: 700,
    }),
  ],
  groups: [least.group(11, { members: [{ id: 700 }, { id: 7_000 }], managers: [{ id: 7_000 }] })],
  group_assignments: [{ id: 13, group_id: 11, assignable_type: "Lesson", assignable_id: 300 }],
  tags: [{ id: 17, resource_type: "tag", name: "Sécurité" }],
  lessons: [least.lesson(300, { tags: [{ id: 17 }] }), least.lesson(301)],
  paths: [
    least.path(50, [
      { resource_type: "path", id: 51, contents: [{ resource_type: "lesson", id: 999 }] },
      {
        resource_type: "wait_step",
        id: 90,
        effect: "locked",
        condition: "prev_step_finished",
        unit: "days",
        amount: 3,
      },
      { resource_type: "placeholder", id: 91, description: "later" },
    ]),
    least.path(51, [{ type: "lesson", id: 301 }], { is_certification: true }),
  ],
  courses: [least.course(60, [{ id: 301, title: "ignored" }], { owner_id: 700 })],
  assignments: [
    least.assignment(1_000, 700, 300, {
      status: "Overdue",
      due_by: "2021-01-01",
      updated_at: "2024-02-03T04:05:06.123456Z",
    }),
    least.assignment(1_001, 7_000, 300, {
      status: "Completed",
      completed_at: "2024-03-01T00:00:00Z",
      score: 90,
    }),
    least.assignment(1_002, 700, 50, {
      assignable_type: "LearningPaths::Path",
      contents: [{ resource_type: "path", id: 51, contents: [done(301)] }],
    }),
    least.assignment(1_003, 7_000, 60, { assignable_type: "Course", status: "Grade Pending" }),
  ],
};

function done(id: number) {
  return {
    resource_type: "lesson",
    id,
    started_at: "2024-02-10",
    completed_at: "2024-02-11",
    score: 75,
    status: "Completed",
  };
}

test("an account is brought in with the answers of its API, and works", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  assert.deepEqual(await importInto(lectern, acme, small), {
    roles: 0,
    custom_user_fields: 0,
    users: 2,
    groups: 1,
    group_assignments: 1,
    tags: 1,
    lessons: 2,
    paths: 2,
    courses: 1,
    assignments: 4,
  });
  const { body: user } = await acme.get("/api/v1/users/7000");
  assert.equal(user.archived_at, "2024-10-13T13:34:24.151+00:00");
  assert.equal(user.archived_by_user_id, 700);
  const { body: lesson } = await acme.get("/api/v1/lessons/300");
  assert.deepEqual(
    [lesson.assignees_count, lesson.completed_count, lesson.tags],
    [2, 1, [{ id: 17, resource_type: "tag", name: "Sécurité" }]],
  );
  const { body: path } = await acme.get("/api/v1/paths/50");
  assert.deepEqual(
    path.contents.map(({ resource_type, id }: { resource_type: string; id: number }) => [resource_type, id]),
    [
      ["path", 51],
      ["wait_step", 90],
      ["placeholder", 91],
    ],
  );
  const { body: breakdown } = await acme.get("/api/v1/lessons/301/completion_breakdown");
  assert.deepEqual([breakdown.total, breakdown.via_assignment, breakdown.via_other], [1, 0, 1]);
  const { body: overdue } = await acme.get("/api/v1/assignments/overdue");
  assert.deepEqual(overdue.assignments, [
    {
      id: 1_000,
      resource_type: "assignment",
      assignee_id: 700,
      assignable_type: "Lesson",
      assignable_id: 300,
      ext_uid: "E700",
      assigned_at: "2024-02-03T04:05:06Z",
      due_by: "2021-01-01T00:00:00Z",
      reassigned_at: null,
      started_at: null,
      completed_at: null,
      updated_at: "2024-02-03T04:05:06Z",
      status: "Overdue",
      score: null,
    },
  ]);
  const { body: listed } = await acme.get("/api/v1.1/assignments?page=3&per_page=1");
  assert.deepEqual(listed.assignments[0].contents, [
    {
      id: 51,
      resource_type: "path",
      contents: [
        {
          id: 301,
          resource_type: "lesson",
          started_at: "2024-02-10T00:00:00Z",
          completed_at: "2024-02-11T00:00:00Z",
          score: 75,
          status: "Completed",
        },
      ],
    },
  ]);
  await assertCountsHold(lectern);
});

test("the arrays of a file may come in any order, as strangers may write them", async () => {
  await using lectern = await startServer();
  const backwards = Object.fromEntries(Object.entries(small).toReversed());
  await importInto(lectern, lectern.acme, small);
  await importInto(lectern, lectern.globex, `\uFEFF${JSON.stringify(backwards, null, 3)}\n\n`);
  const [acme, globex] = [await exportOf(lectern, lectern.acme), await exportOf(lectern, lectern.globex)];
  assert.deepEqual(globex.assignments, acme.assignments);
  assert.deepEqual(globex.paths, acme.paths);
});

test("two companies hold the same ids, and neither sees the other's", async () => {
  await using lectern = await startServer();
  await importInto(lectern, lectern.acme, small);
  const renamed = { ...small, lessons: small.lessons.map((lesson) => ({ ...lesson, title: "Of Globex" })) };
  await importInto(lectern, lectern.globex, renamed);
  const { body: ofAcme } = await lectern.acme.get("/api/v1/lessons/300");
  const { body: ofGlobex } = await lectern.globex.get("/api/v1/lessons/300");
  assert.deepEqual([ofAcme.title, ofGlobex.title], ["Lesson 300", "Of Globex"]);
  await assertCountsHold(lectern);
});

test("what is made later gets ids behind every imported one, also behind those that only stand somewhere", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const users = [least.user(20, { archived_at: "2024-01-01", archived_by_user_id: 4_000 })];
  const assignments = [least.assignment(55, 20, 3, { group_id: 300 })];
  await importInto(lectern, acme, { users, lessons: [least.lesson(3)], assignments });
  const { body: user } = await acme.post("/api/v1/users", {
    name: "New",
    email: "new@example.com",
    role: "learner",
  });
  const { body: group } = await acme.post("/api/v1/groups", { name: "New" });
  const { body: assigned } = await acme.put("/api/v1/lessons/3/assignments", {
    assignments: [{ assignee_id: user.id }],
  });
  assert.deepEqual([user.id, group.id, assigned.assignments[0].id], [4_001, 301, 56]);
  await assertCountsHold(lectern);
});

test("a second bundle comes to what is there, and all is counted together", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await importInto(lectern, acme, small);
  const more = {
    users: [least.user(701)],
    lessons: [least.lesson(302, { tags: [{ id: 17 }] })],
    paths: [least.path(52, [{ resource_type: "path", id: 50 }])],
    assignments: [
      least.assignment(900, 701, 300, { status: "Completed", completed_at: "2024-03-01" }),
      least.assignment(901, 700, 302),
    ],
  };
  await importInto(lectern, acme, more);
  const { body } = await acme.get("/api/v1/assignments");
  assert.deepEqual(
    body.assignments.map(({ id }: { id: number }) => id),
    [900, 901, 1_000, 1_001, 1_002, 1_003],
  );
  await assertCountsHold(lectern);
});

test("who follows the changes sees what comes after an import, though its clock ran ahead", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const ahead = new Date(Date.now() + 3_600_000).toISOString();
  const assignments = [least.assignment(1, 20, 3, { updated_at: ahead })];
  await importInto(lectern, acme, {
    users: [least.user(20), least.user(21)],
    lessons: [least.lesson(3)],
    assignments,
  });
  await acme.put("/api/v1/lessons/3/assignments", { assignments: [{ assignee_id: 21 }] });
  const { body } = await acme.get(`/api/v1/assignments?gt[updated_at]=${ahead}`);
  assert.deepEqual(
    body.assignments.map(({ assignee_id }: { assignee_id: number }) => assignee_id),
    [21],
  );
});

test("what happens after an import is told to who follows: webhooks, mails, and who waits for it", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern);
  const { acme } = lectern;
  const elsewhere = await lectern.addCompany({ subdomain: "elsewhere" });
  for (const name of ["Grace", "Lin", "Mary"]) {
    await elsewhere.post("/api/v1/users", { name, email: `${name}@example.com`, role: "learner" });
  }
  await importInto(lectern, acme, JSON.parse(await exportText(lectern, elsewhere)));
  const { position } = (await acme.get("/api/v2/events/position")).body;
  assert.equal(position, 3, "the ids go on from those that the account had elsewhere");
  await makeWebhook(acme, receiver.url);
  const waiting = acme.get(`/api/v2/events?after=${position}&wait=30`);
  const begun = performance.now();
  await acme.post("/api/v1/users", { name: "Olga", email: "olga@example.com", role: "learner" });
  const names = (await waiting).body.data.map(({ data }: { data: { name: string } }) => data.name);
  assert.deepEqual(names, ["Olga"]);
  assert.ok(performance.now() - begun < 25_000, "it came before the end of the time");
  await worker.sweep(acme);
  assert.deepEqual(idsOf(receiver.received), [`evt_${acme.company.id}_${position + 1}`]);
  await followForMails(lectern.database, acme.company, {});
  const { body } = await acme.get(`/api/v2/events?after=${position}`);
  assert.equal(body.next, position + 1);
});

test("an import writes one audit row, and leaves no file behind", async () => {
  await using lectern = await startServer();
  const folder = await mkdtemp(join(tmpdir(), "bundle-test-"));
  const file = join(folder, "company.json");
  await writeFile(file, JSON.stringify({ tags: small.tags }));
  await importBundle(lectern.database, lectern.acme.company, { file });
  await rm(folder, { recursive: true });
  const owner = new pg.Client({ connectionString: lectern.ownerUrl });
  await owner.connect();
  const { rows } = await owner.query(
    "select actor_type, resource_type, before, after from audit_log where action = 'import_bundle'",
  );
  await owner.end();
  const counts = { roles: 0, custom_user_fields: 0, users: 0, groups: 0, group_assignments: 0 };
  assert.deepEqual(rows, [
    {
      actor_type: "command",
      resource_type: "company",
      before: null,
      after: { ...counts, tags: 1, lessons: 0, paths: 0, courses: 0, assignments: 0 },
    },
  ]);
  await refusalOf(lectern, lectern.acme, '{"users": [');
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith(`lectern-import-${process.pid}-`));
  assert.deepEqual(left, []);
});
