import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { WriteTx } from "../db/db.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { MOST_LEVELS } from "./cycles.ts";
import type { PathContent } from "./schema.ts";

// The first of all, as what is not compiled yet takes the most of the stack.
test("a path of as many levels as can be stored is shown to its last", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.write(acme, (tx) => insertChain(tx, MOST_LEVELS));
  const { status, body } = await acme.get(`/api/v1/paths/${MOST_LEVELS}`);
  assert.equal(status, 200);
  let levels = 1;
  let [inner] = body.contents;
  for (; inner !== undefined; [inner] = inner.contents) {
    levels += 1;
    assert.equal(inner.id, MOST_LEVELS + 1 - levels);
  }
  assert.equal(levels, MOST_LEVELS);
});

test("a path without contents has none, and a placeholder may say nothing", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.path(acme);
  assert.deepEqual((await acme.get("/api/v1/paths/1")).body.contents, []);
  await make.write(acme, (tx) =>
    tx.sql
      .insertInto("path_items")
      .values({
        company_id: tx.company.id,
        path_id: 1,
        position: 0,
        resource_type: "placeholder",
        item_id: 5,
      })
      .execute(),
  );
  assert.deepEqual((await acme.get("/api/v1/paths/1")).body.contents, [
    { resource_type: "placeholder", id: 5, description: null },
  ]);
});

/** A path's items: lessons, wait steps and placeholders as they are, and other paths by how many places before it. */
const someItems = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("lesson" as const) }),
    fc.record({ kind: fc.constant("wait_step" as const), amount: fc.nat({ max: 365 }) }),
    fc.record({
      kind: fc.constant("placeholder" as const),
      description: fc.string({ unit: "grapheme", maxLength: 20 }),
    }),
    fc.record({ kind: fc.constant("path" as const), back: fc.integer({ min: 1, max: 3 }) }),
  ),
  { maxLength: 4 },
);
type Item = typeof someItems extends fc.Arbitrary<(infer T)[]> ? T : never;

test("contents come back as they were put in, however paths share and nest each other", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const lesson_id = await lectern.make.lesson(acme, { title: "Lesson" });
  await fc.assert(
    fc.asyncProperty(fc.array(someItems, { minLength: 1, maxLength: 7 }), async (paths) => {
      const made: { id: number; contents: PathContent[] }[] = [];
      for (const items of paths) made.push(await makePath(lectern, { lesson_id, items, before: made }));
      const last = made.at(-1);
      assert.ok(last);
      assert.deepEqual((await acme.get(`/api/v1/paths/${last.id}`)).body.contents, last.contents);
      const tag = await lectern.make.tag(
        acme,
        "All of them",
        made.map(({ id }) => ({ type: "LearningPaths::Path", id })),
      );
      const { body } = await acme.get(`/api/v1/tags/${tag}/paths`);
      const shown = body.paths.map((path: { id: number; contents: object[] }) => [path.id, path.contents]);
      assert.deepEqual(
        shown,
        made.map(({ id, contents }) => [id, contents]),
      );
    }),
    { numRuns: 25 },
  );
});

interface Making {
  readonly lesson_id: number;
  readonly items: readonly Item[];
  readonly before: readonly { readonly id: number; readonly contents: PathContent[] }[];
}

let lastItemId = 0;

/** Makes a path, and says what its contents are to be. */
async function makePath(
  { make, acme }: TestServer,
  { lesson_id, items, before }: Making,
): Promise<{ id: number; contents: PathContent[] }> {
  const active = { archived_at: null, archived_by_user_id: null };
  const wait = { effect: "locked", condition: "prev_step_finished", unit: "days" };
  const stored: NonNullable<Parameters<typeof make.path>[1]>["contents"] = [];
  const contents: PathContent[] = [];
  for (const item of items) {
    const id = (lastItemId += 1);
    if (item.kind === "lesson") {
      stored.push({ resource_type: "lesson", lesson_id });
      contents.push({ resource_type: "lesson", id: lesson_id, title: "Lesson", ...active });
    } else if (item.kind === "wait_step") {
      stored.push({ resource_type: "wait_step", item_id: id, ...wait, amount: item.amount });
      contents.push({ resource_type: "wait_step", id, ...wait, amount: item.amount });
    } else if (item.kind === "placeholder") {
      stored.push({ resource_type: "placeholder", item_id: id, description: item.description });
      contents.push({ resource_type: "placeholder", id, description: item.description });
    } else {
      const nested = before.at(-item.back);
      if (nested === undefined) continue;
      stored.push({ resource_type: "path", nested_path_id: nested.id });
      contents.push({
        resource_type: "path",
        id: nested.id,
        title: "Path",
        ...active,
        contents: nested.contents,
      });
    }
  }
  return { id: await make.path(acme, { title: "Path", contents: stored }), contents };
}

/** Makes paths 1, 2, 3 and so on, each with the one before in it. */
async function insertChain(tx: WriteTx, levels: number): Promise<void> {
  const company_id = tx.company.id;
  const ids = Array.from({ length: levels }, (_, index) => index + 1);
  const path = {
    description: "",
    enforced_order: false,
    public: false,
    is_certification: false,
    created_at: "2016-04-03 14:55:00+00",
  };
  await tx.sql
    .insertInto("paths")
    .values(ids.map((id) => ({ company_id, id, title: `Path ${id}`, ...path })))
    .execute();
  const nested = ids.slice(1).map((path_id) => ({
    company_id,
    path_id,
    position: 0,
    resource_type: "path" as const,
    nested_path_id: path_id - 1,
  }));
  await tx.sql.insertInto("path_items").values(nested).execute();
}
