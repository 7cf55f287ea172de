import assert from "node:assert/strict";
import { test } from "node:test";
import { assign } from "../test/learning.ts";
import { addManyUsers } from "../test/people.ts";
import { startServer } from "../test/server.ts";
import { teach, trueFalse } from "../test/taught.ts";
import { tellNewVersions } from "./new-versions.ts";

test("a thousand learners and one more are each told of a new version once", async () => {
  await using lectern = await startServer();
  const { acme, make, database } = lectern;
  const lesson_id = await teach(lectern, acme, { title: "Ladders", pages: [[trueFalse("q1")]] });
  const ids = await addManyUsers(make, acme, 1_001);
  await assign(
    acme,
    `lessons/${lesson_id}`,
    ids.map((assignee_id) => ({ assignee_id, notify: false })),
  );
  await make.write(acme, (tx) =>
    tx.sql
      .updateTable("lesson_versions")
      .set({ learners: "tell" })
      .where("company_id", "=", tx.company.id)
      .execute(),
  );
  for (let turns = 2; turns > 0; turns -= 1) await tellNewVersions(database, acme.company, 0);
  const told = await database.read(acme.company, (tx) =>
    tx.sql
      .selectFrom("mail_notices")
      .select("user_id")
      .where("company_id", "=", tx.company.id)
      .where("kind", "=", "new_version")
      .orderBy("user_id")
      .execute(),
  );
  assert.deepEqual(
    told.map(({ user_id }) => user_id),
    ids,
  );
});
