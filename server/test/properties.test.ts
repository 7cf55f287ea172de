import { test } from "node:test";
import { makeContent } from "./content.ts";
import { assertCountsHold } from "./counts.ts";
import { contentsComeBack } from "./nesting.ts";
import { addManyUsers } from "./people.ts";
import {
  archivingFollowsItsModel,
  pagesPartitionLists,
  reassigningFollowsItsModel,
  statusesPartitionAssignments,
} from "./properties.ts";
import { startServer } from "./server.ts";

const seed = 20_261_121;

test("what is always so", async (t) => {
  await using lectern = await startServer();
  const { lesson_id } = await makeContent(lectern, lectern.acme, "Amber");
  const users = await addManyUsers(lectern.make, lectern.acme, 60);
  const assignments = users.map((assignee_id) => ({
    assignee_id,
    due_by: assignee_id % 2 === 0 ? "2020-12-31" : null,
  }));
  await lectern.acme.put(`/api/v1/lessons/${lesson_id}/assignments`, { assignments });
  await t.test("pages partition their list", () => pagesPartitionLists(lectern, { numRuns: 25, seed }));
  await t.test("the statuses partition the assignments", () => statusesPartitionAssignments(lectern));
  await t.test("archive, restore and delete follow their model", () =>
    archivingFollowsItsModel(lectern, { numRuns: 15, seed }),
  );
  await t.test("reassigning follows its model", () =>
    reassigningFollowsItsModel(lectern, { numRuns: 20, seed }),
  );
  await t.test("contents come back at any nesting", () => contentsComeBack(lectern, { numRuns: 15, seed }));
  await t.test("what is counted equals the rows", () => assertCountsHold(lectern));
});
