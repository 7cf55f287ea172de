import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { lockCounters, moveCounter } from "../db/counters.ts";
import { MOST_LEVELS } from "../paths/cycles.ts";
import type { Maker } from "../test/make.ts";
import { addManyUsers } from "../test/people.ts";
import { type Client, startServer } from "../test/server.ts";
import { assign, setProgress } from "../test/learning.ts";

// The first of all, as what is not compiled yet takes the most of the stack.
test("paths nest as many levels deep as can be stored", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const lesson = await make.lesson(acme);
  const innermost = await make.path(acme, { contents: [{ resource_type: "lesson", lesson_id: lesson }] });
  const path = await wrapPath(make, acme, { innermost, times: MOST_LEVELS - 1 });
  await assign(acme, `paths/${path}`, [{ assignee_id: 1 }]);
  await setProgress(
    { lectern, client: acme },
    { assignment_id: 1, lesson_id: lesson },
    { status: "Completed", score: 77, completed_at: "2026-01-01" },
  );
  const { status, body } = await acme.get("/api/v1.1/assignments");
  assert.equal(status, 200);
  let { contents } = body.assignments[0];
  for (let level = MOST_LEVELS - 1; level > 0; level -= 1) {
    assert.deepEqual([contents.length, contents[0].id, contents[0].resource_type], [1, level, "path"]);
    ({ contents } = contents[0]);
  }
  assert.deepEqual(contents, [
    {
      id: lesson,
      resource_type: "lesson",
      started_at: null,
      completed_at: "2026-01-01T00:00:00Z",
      score: 77,
      status: "Completed",
    },
  ]);
});

test("a path assignment shows the path as it is now, with the learner's own progress", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const school = { lectern, client: acme };
  const [grace, alan] = await addManyUsers(make, acme, 2);
  const [safety, tools, exam] = [await make.lesson(acme), await make.lesson(acme), await make.lesson(acme)];
  const basics = await make.path(acme, {
    contents: [
      { resource_type: "lesson", lesson_id: tools },
      { resource_type: "placeholder", item_id: 1, description: "later" },
    ],
  });
  const path = await make.path(acme, {
    is_certification: true,
    contents: [
      { resource_type: "lesson", lesson_id: exam },
      { resource_type: "path", nested_path_id: basics },
      {
        resource_type: "wait_step",
        item_id: 1,
        effect: "locked",
        condition: "prev_step_finished",
        unit: "days",
        amount: 7,
      },
      { resource_type: "lesson", lesson_id: safety },
      { resource_type: "lesson", lesson_id: tools },
    ],
  });
  const empty = await make.path(acme);
  await assign(acme, `paths/${path}`, [{ assignee_id: grace }, { assignee_id: alan }]);
  await assign(acme, `paths/${empty}`, [{ assignee_id: grace }]);
  await assign(acme, `lessons/${exam}`, [{ assignee_id: grace }]);
  const times = { started_at: "2026-01-02 03:04:05.9+00", completed_at: "2026-01-03 00:00:00+00" };
  await setProgress(
    school,
    { assignment_id: 1, lesson_id: tools },
    { status: "Completed", score: 0, ...times },
  );
  await setProgress(school, { assignment_id: 1, lesson_id: exam }, { status: "Grade Pending", ...times });

  const { body } = await acme.get("/api/v1.1/assignments");
  const ofGrace = {
    [exam]: {
      id: exam,
      resource_type: "lesson",
      started_at: "2026-01-02T03:04:05Z",
      completed_at: "2026-01-03T00:00:00Z",
      status: "Incomplete",
    },
    [tools]: {
      id: tools,
      resource_type: "lesson",
      started_at: "2026-01-02T03:04:05Z",
      completed_at: "2026-01-03T00:00:00Z",
      score: 0,
      status: "Completed",
    },
  };
  const { body: plain } = await acme.get("/api/v1/assignments");
  const [first, second, third, fourth] = plain.assignments;
  assert.deepEqual(body.assignments, [
    {
      ...first,
      contents: [
        ofGrace[exam],
        { id: basics, resource_type: "path", contents: [ofGrace[tools]] },
        notBegun(safety),
        ofGrace[tools],
      ],
      is_certification: true,
    },
    {
      ...second,
      contents: [
        notBegun(exam),
        { id: basics, resource_type: "path", contents: [notBegun(tools)] },
        notBegun(safety),
        notBegun(tools),
      ],
      is_certification: true,
    },
    { ...third, contents: [], is_certification: false },
    fourth,
  ]);
});

function notBegun(id: number): object {
  return { id, resource_type: "lesson", started_at: null, completed_at: null, status: "Incomplete" };
}

/** Puts a path into a path, that into another, and so on, in one write. Gives the outermost. */
async function wrapPath(
  make: Maker,
  client: Client,
  { innermost, times }: { innermost: number; times: number },
): Promise<number> {
  return make.write(client, async (tx) => {
    const at = await lockCounters(tx, "paths");
    const first = await moveCounter(tx, { kind: "paths", ids: times, total: times, at });
    const ids = Array.from({ length: times }, (_, index) => first + index);
    const within = [innermost, ...ids.slice(0, -1)];
    const { id: company_id } = tx.company;
    await sql`
      insert into assignables (company_id, assignable_type, assignable_id,
        assignees_count, completed_count, total_completions, via_assignment)
      select ${company_id}, 'LearningPaths::Path', id, 0, 0, 0, 0 from unnest(${ids}::bigint[]) as id`.execute(
      tx.sql,
    );
    await sql`
      insert into paths
        (company_id, id, title, description, enforced_order, public, is_certification, created_at)
      select ${company_id}, id, 'Path', '', false, false, false, ${at} from unnest(${ids}::bigint[]) as id`.execute(
      tx.sql,
    );
    await sql`
      insert into path_items (company_id, path_id, position, resource_type, nested_path_id)
      select ${company_id}, id, 0, 'path', nested
      from unnest(${ids}::bigint[], ${within}::bigint[]) as item (id, nested)`.execute(tx.sql);
    return first + times - 1;
  });
}
