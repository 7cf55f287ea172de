import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addGroup, addManyUsers, addUser } from "../test/people.ts";
import { signIn } from "../test/person.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { writeCsv } from "./csv.ts";
import { streamExport } from "./stream.ts";

test("cells are quoted as RFC 4180 has it, and none is a formula", () => {
  const rows = [
    ["=1+1", "+49 30", "-2", "@sum", "\tx", 'a "b"', "a,b", "two\nlines", "plain"],
    [-2, 1.5, true, null, [1, "x"], { a: 1 }, "", "ü", "1e3"],
  ];
  assert.equal(
    writeCsv(rows),
    `'=1+1,'+49 30,'-2,'@sum,'\tx,"a ""b""","a,b","two\nlines",plain\r\n` +
      `-2,1.5,true,,"[1,""x""]","{""a"":1}",,ü,1e3\r\n`,
  );
});

test("users, assignments and results are exported whole, and to a manager only those of their people", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const lesson = await lectern.make.lesson(acme, { title: "=Lesson" });
  const grace = await addUser(acme, "Grace Hopper", {
    ...{ ext_uid: "-1", department: "Sales" },
    custom_user_fields: [{ name: "Team", value: "A" }],
  });
  const manager = await signIn(lectern, acme, { role: "manager", name: "Mary Manager" });
  await addGroup(acme, "Sales", { members: [{ id: grace.id }], managers: [{ id: manager.user_id }] });
  const { body } = await acme.post(`/api/v1/lessons/${lesson}/assignments`, {
    assignments: [{ assignee_id: grace.id, due_by: "2099-01-01" }, { assignee_id: manager.user_id }],
  });
  assert.equal(body.assignments.length, 2, JSON.stringify(body));
  await lectern.make.write(acme, async (tx) => {
    await tx.sql
      .updateTable("assignments")
      .set({ status: "Completed", completed_at: "2026-01-02 03:04:05+00", score: 90 })
      .where("company_id", "=", tx.company.id)
      .where("assignee_id", "=", grace.id)
      .execute();
  });
  const users = await read(lectern, { url: "/api/v2/users/export?bom=true" });
  assert.equal(users.type, "text/csv; charset=utf-8");
  assert.match(users.text, /^\uFEFFid,name,email,role_id,.*\r\n1,Ada Admin,/);
  assert.match(
    users.text,
    /\r\n2,Grace Hopper,.*,'-1,,,,Sales,.*,"\{""Team"":""A""\}","\[""Sales""\]",\[\]\r\n/,
  );
  const own = await read(lectern, { url: "/api/v2/users/export?format=ndjson", cookie: manager.cookie });
  assert.deepEqual(
    toObjects(own.text).map(({ id, groups }) => ({ id, groups })),
    [{ id: grace.id, groups: ["Sales"] }],
  );
  const assignments = await read(lectern, { url: "/api/v2/assignments/export?filter[status]=Completed" });
  assert.match(
    assignments.text,
    /\r\n1,2,Grace Hopper,grace.hopper@example.com,Lesson,1,'=Lesson,,[^,]+,2099-01-01T00:00:00Z,,,2026-01-02T03:04:05Z,[^,]+,Completed,90\r\n$/,
  );
  const results = await read(lectern, {
    url: "/api/v2/results/export?format=ndjson",
    cookie: manager.cookie,
  });
  assert.deepEqual(toObjects(results.text), [
    {
      ...{ type: "round", assignment_id: 1, round: 1, attempt_id: null },
      ...{ user_id: grace.id, user_name: "Grace Hopper", user_email: grace.email, user_ext_uid: "-1" },
      ...{ assignable_type: "Lesson", assignable_id: lesson, title: "=Lesson", version: null },
      ...{ status: "Completed", score: 90, due_by: "2099-01-01T00:00:00Z", started_at: null },
      ...{ completed_at: "2026-01-02T03:04:05Z", graded_at: null, seconds_spent: null },
    },
  ]);
});

test("an export reads no further than its client takes, sees one moment, and gives way to no third", async () => {
  await using lectern = await startServer();
  const { acme, database } = lectern;
  await addManyUsers(lectern.make, acme, 2_500);
  const request = {
    ...{ company: acme.company, viewer: { user_id: null, scope: () => "all" as const } },
    ...({ format: "csv", bom: false, columns: ["id", "text"] } as const),
  };
  let pages = 0;
  const bothHaveRead = Promise.withResolvers<void>();
  const exported = {
    read: async (tx: Parameters<Parameters<typeof database.read>[1]>[0], after = 0, limit: number) => {
      pages += 1;
      if (pages === 2) bothHaveRead.resolve();
      return tx.sql
        .selectFrom("users")
        .select("id")
        .where("company_id", "=", tx.company.id)
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
    },
    position: ({ id }: { id: number }) => id,
    show: ({ id }: { id: number }) => ({ id, text: "x".repeat(100) }),
  };
  await using streams = new AsyncDisposableStack();
  const open = () =>
    streams.adopt(streamExport(database, request, exported), (stream) => void stream.destroy());
  const [first, second] = [open(), open()];
  assert.throws(open, { status: 503 });
  await bothHaveRead.promise;
  await sleep(100);
  assert.equal(pages, 2);
  await addManyUsers(lectern.make, acme, 1);
  second.destroy();
  const text = (await first.toArray()).join("");
  assert.equal(text.split("\r\n").length, 1 + 2_501 + 1);
  assert.equal(pages, 4);
});

async function read(
  { app, acme }: TestServer,
  { url, cookie }: { url: string; cookie?: string },
): Promise<{ type: unknown; text: string }> {
  const headers = cookie === undefined ? { authorization: acme.authorization } : { cookie };
  const answer = await app.inject({ url, headers });
  assert.equal(answer.statusCode, 200, answer.body);
  return { type: answer.headers["content-type"], text: answer.body };
}

function toObjects(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
