import assert from "node:assert/strict";
import { test } from "node:test";
import type { WriteTx } from "../db/db.ts";
import { queueMail } from "../mail/notices.ts";
import { stopMails } from "../mail/preferences.ts";
import { locksAreAwaited } from "../test/lock-waits.ts";
import { addGroup, addUser, summaryOf } from "../test/people.ts";
import { signIn } from "../test/person.ts";
import { type Client, startServer, type TestServer } from "../test/server.ts";
import { teach, trueFalse } from "../test/taught.ts";
import { eraseUser } from "./delete.ts";

test("a deleted user is gone, archived or not", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace");
  const alan = await addUser(acme, "Alan");
  await acme.put(`/api/v1/users/${alan.id}/archive`);
  for (const { id } of [grace, alan]) {
    const deleted = await acme.delete(`/api/v1/users/${id}`);
    assert.equal(deleted.status, 200);
    assert.deepEqual(deleted.body, { type: "delete_user", id: String(id) });
    for (const method of ["GET", "PUT", "DELETE"] as const) {
      assert.equal(
        (await acme.request({ method, url: `/api/v1/users/${id}` })).body.message,
        "User not found",
      );
    }
  }
  const { body } = await acme.get("/api/v1/users");
  assert.deepEqual([body.total_users, body.users.length], [1, 1]);
});

test("a delete may come with a JSON content type and an empty body", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const payloads = ["", '""', " \n", "{}", "null"];
  for (const payload of payloads) {
    const { id } = await addUser(acme, "Grace");
    const headers = { "content-type": "application/json" };
    const deleted = await acme.request({ method: "DELETE", url: `/api/v1/users/${id}`, headers, payload });
    assert.equal(deleted.status, 200, payload);
  }
});

test("e-mail and ext_uid are free again, but an id is never used twice", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const more = { ext_uid: "G-1" };
  const first = await addUser(acme, "Grace", more);
  await acme.delete(`/api/v1/users/${first.id}`);
  const second = await addUser(acme, "Grace", more);
  assert.deepEqual(second, { ...first, id: first.id + 1 });
  await acme.delete(`/api/v1/users/${second.id}`);
  assert.equal((await addUser(acme, "Grace", more)).id, first.id + 2);
});

test("with a user go their memberships, values, password and library statistics", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const grace = await addUser(acme, "Grace", { custom_user_fields: [{ name: "T-shirt", value: "M" }] });
  const alan = await addUser(acme, "Alan", { custom_user_fields: [{ name: "T-shirt", value: "M" }] });
  const people = { members: [{ id: grace.id }, { id: alan.id }], managers: [{ id: grace.id }] };
  await addGroup(acme, "Sales", people);
  const lesson = await make.lesson(acme);
  await make.write(acme, async (tx) => {
    const of = { company_id: tx.company.id, user_id: grace.id };
    const used = { assignable_type: "Lesson", assignable_id: lesson, views: 1, completions: 1 } as const;
    await tx.sql
      .insertInto("passwords")
      .values({ ...of, hash: "x", changed_at: tx.now.toISOString() })
      .execute();
    await tx.sql
      .insertInto("library_uses")
      .values({ ...of, ...used })
      .execute();
  });
  assert.equal((await acme.delete(`/api/v1/users/${grace.id}`)).status, 200);
  const { body: group } = await acme.get("/api/v1/groups/1");
  assert.deepEqual([group.members, group.managers], [[summaryOf(alan)], []]);
  assert.deepEqual(await rowsOf(lectern, acme, grace.id), {
    memberships: 0,
    passwords: 0,
    library_uses: 0,
    custom_user_field_values: 0,
  });
  const { body } = await acme.get("/api/v1/users?filter[custom_user_field][1]=M");
  assert.deepEqual([body.total_users, body.users], [1, [summaryOf(alan)]]);
});

test("the audit log forgets the person, not what was done", async () => {
  await using lectern = await startServer();
  const { acme, globex, database } = lectern;
  const grace = await addUser(acme, "Grace");
  const other = await addUser(globex, "Grace");
  assert.equal(grace.id, other.id);
  await acme.put(`/api/v1/users/${grace.id}`, { job_title: "Admiral" });
  await acme.delete(`/api/v1/users/${grace.id}`);
  const rowsOf = ({ company }: Client) =>
    database.read(company, (tx) =>
      tx.sql
        .selectFrom("audit_log")
        .select(["action", "before", "after"])
        .where("company_id", "=", company.id)
        .where("resource_type", "=", "user")
        .where("resource_id", "=", grace.id)
        .orderBy("at")
        .execute(),
    );
  assert.deepEqual(
    await rowsOf(acme),
    ["create_user", "update_user", "delete_user"].map((action) => ({ action, before: null, after: null })),
  );
  assert.notEqual((await rowsOf(globex))[0]?.after, null);
});

test("with a user go their assignments, and what is counted of them", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const grace = await addUser(acme, "Grace");
  const lesson = await make.lesson(acme);
  const assignments = [{ assignee_id: grace.id }, { assignee_id: 1 }];
  const given = await acme.put(`/api/v1/lessons/${lesson}/assignments`, { assignments });
  assert.equal(given.status, 200);
  assert.equal((await acme.get(`/api/v1/lessons/${lesson}`)).body.assignees_count, 2);
  assert.equal((await acme.delete(`/api/v1/users/${grace.id}`)).status, 200);
  assert.equal((await acme.get(`/api/v1/lessons/${lesson}`)).body.assignees_count, 1);
  const { body } = await acme.get("/api/v1/assignments");
  assert.equal(body.total_assignments, 1);
  assert.deepEqual(
    body.assignments.map(({ assignee_id }: { assignee_id: number }) => assignee_id),
    [1],
  );
});

test("what a deleted user archived stays archived, and their key goes on working for nobody", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.write(acme, (tx) =>
    tx.sql
      .updateTable("api_keys")
      .set({ made_by_user_id: 1 })
      .where("company_id", "=", tx.company.id)
      .execute(),
  );
  const { body: archived } = await acme.put(`/api/v1/users/${(await addUser(acme, "Grace")).id}/archive`);
  assert.equal(archived.archived_by_user_id, 1);
  assert.equal((await acme.delete("/api/v1/users/1")).status, 200);
  assert.deepEqual((await acme.get(`/api/v1/users/${archived.id}`)).body, archived);
  const keys = await lectern.database.read(acme.company, (tx) =>
    tx.sql.selectFrom("api_keys").select("made_by_user_id").where("company_id", "=", tx.company.id).execute(),
  );
  assert.deepEqual(keys, [{ made_by_user_id: null }]);
});

test("what a deleted user has written is nobody's, an old course too", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const grace = await addUser(acme, "Grace");
  const own = await make.course(acme, { owner_id: grace.id });
  const other = await make.course(acme, { owner_id: 1 });
  const { body } = await acme.delete(`/api/v2/users/${grace.id}`);
  assert.ok(
    body.removed.some(
      ({ what, rows }: { what: string; rows: number }) => what === "owner_of_courses" && rows === 1,
    ),
  );
  const ownerOf = async (id: number) => (await acme.get(`/api/v1.1/courses/${id}`)).body.owner_id;
  assert.deepEqual([await ownerOf(own), await ownerOf(other)], [null, 1]);
});

test("of two deletes at one moment, one deletes", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await addUser(acme, "Grace");
  const answers = await Promise.all([1, 2, 3].map(() => acme.delete("/api/v1/users/2")));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 404, 404],
  );
  assert.equal((await acme.get("/api/v1/users")).body.total_users, 1);
});

test("what names a user without a counter, and is written while they are deleted, goes with them", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  for (const write of writersOfMail) {
    const { id } = await addUser(acme, "Grace");
    const { deleted } = await make.write(acme, async (tx) => {
      await write(tx, id);
      const deleting = acme.delete(`/api/v1/users/${id}`);
      await locksAreAwaited(lectern, 1);
      return { deleted: deleting };
    });
    assert.deepEqual((await deleted).body, { type: "delete_user", id: String(id) });
  }
  assert.deepEqual(await mailRows(lectern), []);
});

test("somebody is anonymous although a mail of theirs was being noted", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const { id } = await addUser(acme, "Grace");
  const { anonymized } = await make.write(acme, async (tx) => {
    await noteMail(tx, id);
    const waiting = acme.post(`/api/v2/users/${id}/anonymize`);
    await locksAreAwaited(lectern, 1);
    return { anonymized: waiting };
  });
  assert.equal((await anonymized).status, 200);
  assert.deepEqual(await mailRows(lectern), []);
});

test("who is deleted in this moment is told nothing, and what they ask for is refused or nobody's", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const lesson_id = await teach(lectern, acme, { public: true, pages: [[trueFalse("q1")]] });
  const grace = await signIn(lectern, acme, { role: "admin" });
  const id = grace.user_id;
  const { mailed, asked } = await make.write(acme, async (tx) => {
    await eraseUser(tx, id);
    const mails = writersOfMail.map((write) => make.write(acme, (other) => write(other, id)));
    const requests = [
      grace.post("/api/v2/library/views", { resource_type: "lesson", id: lesson_id }),
      grace.post("/api/v2/attempts", { lesson_id }),
      grace.post("/api/v2/lessons", { title: "Nobody's" }),
      grace.post("/api/v2/paths", { title: "Nobody's" }),
      grace.post("/api/v2/api_keys", { name: "Nobody's", privileges: ["users.read"] }),
    ];
    // Two of the requests, as the server has no more connections: then all of them have been let in.
    await locksAreAwaited(lectern, writersOfMail.length + 2);
    return { mailed: mails, asked: requests };
  });
  await Promise.all(mailed);
  assert.deepEqual(await mailRows(lectern), []);
  const answers = await Promise.all(asked);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 201, 201, 201],
  );
  assert.equal(answers.at(-1)?.body.made_by_user_id, null);
});

/** What the mailer, and who wants no mails, write of a person. */
const writersOfMail = [
  noteMail,
  (tx: WriteTx, user_id: number) => stopMails(tx, { user_id, categories: ["team"] }),
];

async function noteMail(tx: WriteTx, user_id: number): Promise<void> {
  const send_at = tx.now.toISOString();
  await queueMail(tx, [
    { key: `test/${user_id}`, user_id, kind: "account_created", pace: "soon", facts: {}, send_at },
  ]);
}

/** Whom mails and wishes about mails name. */
async function mailRows({ database, acme }: TestServer): Promise<number[]> {
  const rows = await database.read(acme.company, (tx) =>
    Promise.all(
      (["mail_notices", "mail_preferences"] as const).map((table) =>
        tx.sql.selectFrom(table).select("user_id").where("company_id", "=", tx.company.id).execute(),
      ),
    ),
  );
  return rows.flat().map(({ user_id }) => user_id);
}

/** How many rows are left of a user, by table. */
async function rowsOf({ database }: TestServer, { company }: Client, user_id: number) {
  const tables = ["memberships", "passwords", "library_uses", "custom_user_field_values"] as const;
  const counts = await database.read(company, (tx) =>
    Promise.all(
      tables.map(async (table) => {
        const { total } = await tx.sql
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as("total"))
          .where("company_id", "=", tx.company.id)
          .where("user_id", "=", user_id)
          .executeTakeFirstOrThrow();
        return [table, total] as const;
      }),
    ),
  );
  return Object.fromEntries(counts);
}
