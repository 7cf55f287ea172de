import assert from "node:assert/strict";
import { test } from "node:test";
import { exportOf, importInto } from "../test/bundles.ts";
import { makeContent } from "../test/content.ts";
import { type Answer, startServer } from "../test/server.ts";
import { exportBundle } from "./export.ts";
import { parts } from "./parts.ts";

type Item = Answer["body"];

test("an export holds each thing as the API shows it, to the digit that the API cuts off", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await makeContent(lectern, acme, "Amber");
  const bundle = await exportOf(lectern, acme);
  assert.deepEqual(Object.keys(bundle), ["lectern_bundle", "company", ...parts]);
  const { users } = (await acme.get("/api/v1.1/users")).body;
  const { assignments } = (await acme.get("/api/v1.1/assignments")).body;
  const tags = (await acme.get("/api/v1/tags")).body.tags;
  const shown = {
    users: users.toReversed(),
    tags,
    assignments,
    lessons: await details("lessons"),
    paths: await details("paths"),
    courses: await details("courses"),
    groups: (await details("groups")).map((group) =>
      Object.assign(group, { members: idsOf(group.members), managers: idsOf(group.managers) }),
    ),
    group_assignments: (await acme.get("/api/v1/groups/1/assignments")).body,
  };
  for (const [part, items] of Object.entries(shown)) {
    assert.ok(items.length > 0, part);
    assert.deepEqual(cutTimes(bundle[part]).map(withoutFurtherKeys), items, part);
  }

  async function details(part: string): Promise<Item[]> {
    const items: Item[] = [];
    for (const { id } of (await acme.get(`/api/v1/${part}`)).body[part]) {
      const { type: _type, ...item } = (await acme.get(`/api/v1/${part}/${id}`)).body;
      items.push(item);
    }
    return items;
  }
});

function idsOf(users: readonly Item[]): Item[] {
  return users.map(({ id }) => ({ id }));
}

/** Keys that no answer has. */
function withoutFurtherKeys(item: Item): Item {
  const { sso_id: _sso, library_uses: _uses, owner_id: _owner, group_id, history: _history, ...shown } = item;
  const { created_at, ...rest } = shown;
  const isPerson = "email" in item || "members" in item;
  return {
    ...rest,
    ...(isPerson ? {} : created_at && { created_at }),
    ...("assignee_id" in item ? {} : group_id && { group_id }),
  };
}

/** UTC times have seconds in answers, times with an offset milliseconds. */
function cutTimes(value: Item): Item {
  const text = JSON.stringify(value)
    .replaceAll(/(T\d\d:\d\d:\d\d)\.\d+Z/g, "$1Z")
    .replaceAll(/(T\d\d:\d\d:\d\d\.\d\d\d)\d+([+-])/g, "$1$2");
  return JSON.parse(text);
}

test("an export sees one moment, however slowly it is read", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await importInto(lectern, acme, { tags: [{ id: 1, name: "Before" }] });
  let text = "";
  await exportBundle(
    { database: lectern.database, secrets: lectern.secrets },
    acme.company,
    async (chunk) => {
      // The whole is one chunk, so all has been read by now; a change must not be in a chunk that comes later.
      await importInto(lectern, acme, { tags: [{ id: 2, name: "After" }] });
      text += chunk;
    },
  );
  assert.deepEqual(JSON.parse(text).tags, [{ id: 1, resource_type: "tag", name: "Before" }]);
});
