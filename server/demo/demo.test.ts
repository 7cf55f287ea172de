import assert from "node:assert/strict";
import { test } from "node:test";
import { exportOf, importInto } from "../test/bundles.ts";
import { type Answer, startServer, PUBLIC_URL } from "../test/server.ts";
import { Secrets } from "../secrets.ts";
import { makeDemo } from "./demo.ts";

type Item = Answer["body"];

test("the demo company has everything there is to see, and can be exported", async () => {
  await using lectern = await startServer();
  const { company, admin, api_key } = await makeDemo(
    { ...lectern, secrets: new Secrets("a secret of nobody"), publicUrl: PUBLIC_URL },
    "demo",
  );
  assert.deepEqual(admin, { id: 1, email: "alex.moreira@demo.example" });
  const authorization = `Basic ${Buffer.from(`demo:${api_key}`).toString("base64")}`;
  const get = (url: string) => lectern.acme.request({ method: "GET", url, headers: { authorization } });
  for (const [url, key, count] of [
    ["/api/v1/users", "total_users", 40],
    ["/api/v1/assignments", "total_assignments", 333],
  ] as const) {
    assert.equal((await get(url)).body[key], count);
  }
  for (const [part, count] of [
    ["groups", 6],
    ["lessons", 12],
    ["paths", 5],
    ["courses", 2],
    ["tags", 5],
  ] as const) {
    assert.equal((await get(`/api/v1/${part}`)).body[part].length, count, part);
  }
  for (const status of ["incomplete", "completed", "overdue", "grade_pending"]) {
    assert.ok((await get(`/api/v1/assignments/${status}`)).body.total_assignments >= 10, status);
  }
  const { contents } = (await get("/api/v1/paths/2")).body;
  const kinds = new Set(contents.map(({ resource_type }: Item) => resource_type));
  assert.deepEqual(kinds, new Set(["lesson", "path", "placeholder", "wait_step"]));
  const lessons = (await get("/api/v2/lessons?filter[published]=true")).body.data;
  assert.equal(lessons.length, 6);
  for (const { id } of lessons) {
    const { body } = await get(`/api/v2/reports/lessons/${id}/questions`);
    assert.ok(body.questions.length > 0, body);
  }
  const report = (await get("/api/v2/reports/company")).body.summary;
  for (const key of ["not_started", "in_progress", "grade_pending", "completed", "overdue"]) {
    assert.ok(report[key] > 0, key);
  }
  const { data: certificates } = (await get("/api/v2/certificates")).body;
  assert.ok(certificates.length > 0);
  assert.ok((await get("/api/v2/grading")).body.data.length > 0);
  const copy = await lectern.addCompany({ subdomain: "copy" });
  const bundle = await exportOf(lectern, { company: { ...copy.company, id: company.id } });
  assert.equal((await importInto(lectern, copy, bundle)).assignments, 333);
});
