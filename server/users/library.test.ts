import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, startServer, type TestServer } from "../test/server.ts";

const url = "/api/v1/users/1/learning_library_statistics";

test("what a user did in the learning library is counted over lessons and paths", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const nothing = await acme.get(url);
  assert.equal(nothing.status, 200);
  assert.deepEqual(nothing.body, statistics(0, 0, 0));
  await use(lectern, acme, {
    assignable_type: "Lesson",
    assignable_id: await make.lesson(acme),
    views: 3,
    completions: 2,
  });
  await use(lectern, acme, {
    assignable_type: "Lesson",
    assignable_id: await make.lesson(acme),
    views: 0,
    completions: 1,
  });
  await use(lectern, acme, {
    assignable_type: "LearningPaths::Path",
    assignable_id: await make.path(acme),
    views: 4,
    completions: 0,
  });
  const shown = await acme.get(url);
  assert.equal(shown.status, 200);
  assert.deepEqual(shown.body, statistics(3, 7, 2));
});

test("without the learning library in the company's plan the statistics are forbidden", async () => {
  await using lectern = await startServer();
  const initech = await lectern.addCompany({ subdomain: "initech", has_learning_library: false });
  for (const id of [1, 99]) {
    const refused = await initech.get(`/api/v1/users/${id}/learning_library_statistics`);
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.body, {
      type: "error",
      status: 403,
      error: "Forbidden",
      message: "The learning library is not part of this company's plan",
      request_id: refused.headers["x-request-id"],
    });
  }
  assert.equal((await initech.get("/api/v1/users/x/learning_library_statistics")).status, 400);
  assert.equal((await initech.get("/api/v1/users/1")).status, 200);
});

interface Use {
  readonly assignable_type: "Lesson" | "LearningPaths::Path";
  readonly assignable_id: number;
  readonly views: number;
  readonly completions: number;
}

async function use({ make }: TestServer, client: Client, given: Use): Promise<void> {
  await make.write(client, (tx) =>
    tx.sql
      .insertInto("library_uses")
      .values({ company_id: tx.company.id, user_id: 1, ...given })
      .execute(),
  );
}

function statistics(total_completed: number, total_views: number, unique_lesson_and_path_views: number) {
  return {
    type: "user_learning_library_statistics",
    learning_library_statistics: { total_completed, total_views, unique_lesson_and_path_views },
  };
}
