import assert from "node:assert/strict";
import fc from "fast-check";
import { addUser } from "./people.ts";
import type { Tries } from "./properties.ts";
import type { Client, TestServer } from "./server.ts";

/** An item of a path as it is to be made, without ids. */
type Item =
  | { readonly kind: "lesson"; readonly title: string; readonly archived: boolean }
  | { readonly kind: "wait_step"; readonly amount: number }
  | { readonly kind: "placeholder"; readonly description: string }
  | { readonly kind: "path"; readonly title: string; readonly contents: readonly Item[] };

const aTitle = fc.stringMatching(/^[A-Z][a-z <>&"']{0,12}$/);
const { contents: someContents } = fc.letrec<{ contents: Item[]; item: Item }>((tie) => ({
  contents: fc.array(tie("item"), { maxLength: 4, depthIdentifier: "path" }),
  item: fc.oneof(
    { depthIdentifier: "path", maxDepth: 6, depthSize: "medium" },
    fc.record({ kind: fc.constant("lesson" as const), title: aTitle, archived: fc.boolean() }),
    fc.record({ kind: fc.constant("wait_step" as const), amount: fc.nat(365) }),
    fc.record({ kind: fc.constant("placeholder" as const), description: aTitle }),
    fc.record({ kind: fc.constant("path" as const), title: aTitle, contents: tie("contents") }),
  ),
}));

/** A path's contents come back as they were put in, however deep; and an assignment of it shows each lesson in them. */
export async function contentsComeBack(lectern: TestServer, tries: Tries): Promise<void> {
  const { acme } = lectern;
  const user = await addUser(acme, "Walker");
  const numbers = { item: 1_000_000 };
  await fc.assert(
    fc.asyncProperty(someContents, async (contents) => {
      const { id, shown, progress } = await makePath(lectern, acme, { title: "Outer", contents }, numbers);
      const { body } = await acme.get(`/api/v1/paths/${id}`);
      assert.deepEqual(body.contents, shown);
      await acme.put(`/api/v1/paths/${id}/assignments`, { assignments: [{ assignee_id: user.id }] });
      const { body: changed } = await acme.get("/api/v1.1/assignments?gt[updated_at]=2001-01-01&per_page=1");
      assert.equal(changed.assignments[0].assignable_id, id);
      assert.deepEqual(changed.assignments[0].contents, progress);
    }),
    tries,
  );
}

interface Made {
  readonly id: number;
  /** Its contents as the path shows them, and as an assignment that nobody has begun does. */
  readonly shown: object[];
  readonly progress: object[];
}

async function makePath(
  lectern: TestServer,
  client: Client,
  { title, contents }: { readonly title: string; readonly contents: readonly Item[] },
  numbers: { item: number },
): Promise<Made> {
  const { make } = lectern;
  const items: Parameters<typeof make.path>[1] & object = { contents: [] };
  const shown: object[] = [];
  const progress: object[] = [];
  const active = { archived_at: null, archived_by_user_id: null };
  for (const item of contents) {
    const { kind: resource_type } = item;
    if (item.kind === "lesson") {
      const archived_at = "2026-01-02T03:04:05.678Z";
      const lesson_id = await make.lesson(client, {
        title: item.title,
        ...(item.archived && { archived_at }),
      });
      items.contents?.push({ resource_type: "lesson", lesson_id });
      const state = item.archived ? { ...active, archived_at: "2026-01-02T03:04:05.678+00:00" } : active;
      shown.push({ id: lesson_id, resource_type, title: item.title, ...state });
      progress.push({
        id: lesson_id,
        resource_type,
        started_at: null,
        completed_at: null,
        status: "Incomplete",
      });
    } else if (item.kind === "path") {
      const nested = await makePath(lectern, client, item, numbers);
      items.contents?.push({ resource_type: "path", nested_path_id: nested.id });
      shown.push({ id: nested.id, resource_type, title: item.title, ...active, contents: nested.shown });
      progress.push({ id: nested.id, resource_type, contents: nested.progress });
    } else {
      const id = (numbers.item += 1);
      const wait = { effect: "locked", condition: "prev_step_finished", unit: "days" };
      if (item.kind === "wait_step") {
        items.contents?.push({ resource_type: "wait_step", item_id: id, ...wait, amount: item.amount });
        shown.push({ id, resource_type, ...wait, amount: item.amount });
      } else {
        items.contents?.push({ resource_type: "placeholder", item_id: id, description: item.description });
        shown.push({ id, resource_type, description: item.description });
      }
    }
  }
  return { id: await make.path(client, { title, ...items }), shown, progress };
}
