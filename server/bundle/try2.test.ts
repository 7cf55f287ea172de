import { test } from "node:test";
import { startServer } from "../test/server.ts";
import { makeDemo } from "./demo.ts";
test("demo", async () => {
  await using lectern = await startServer();
  const made = await makeDemo(lectern.database, "demo");
  console.log(made);
  const auth = { authorization: `Basic ${Buffer.from(`demo:${made.api_key}`).toString("base64")}` };
  for (const url of ["/api/v1/users?per_page=1000", "/api/v1/groups","/api/v1/lessons","/api/v1/paths","/api/v1/courses","/api/v1/tags","/api/v1/assignments?per_page=3","/api/v1/assignments/completed?per_page=2","/api/v1/assignments/overdue?per_page=2","/api/v1/assignments/incomplete?per_page=2","/api/v1/assignments/grade_pending?per_page=2"]) {
    const a = await lectern.app.inject({ url, headers: auth });
    const b = JSON.parse(a.body);
    console.log(url, a.statusCode, b.total_users ?? b.total_assignments, Object.values(b).find(Array.isArray)?.length, a.body.slice(0, 300));
  }
});
