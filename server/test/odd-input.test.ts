import assert from "node:assert/strict";
import { test } from "node:test";
import { makeContent } from "./content.ts";
import { assertRefused, listWrites, sampleOf } from "./refusal.ts";
import { startServer } from "./server.ts";
import { addressOf, dump, fieldName, listPlaces, type Place, withValueAt } from "./walk.ts";

const json = { "content-type": "application/json" };
const DEPTH = 10_000;

test("keys that mean something to JavaScript, duplicate keys and unknown ones change nothing but what they name", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const strange = [
    `{"name": "First", "name": "Ann", "email": "ann@example.com", "role": "learner"}`,
    `{"__proto__": {"name": "Eve"}, "name": "Ben", "email": "ben@example.com", "role": "learner"}`,
    `{"constructor": {"prototype": {"id": 1}}, "name": "Cy", "email": "cy@example.com", "role": "learner"}`,
    `{"id": 900, "company_id": 2, "archived_at": "x", "toString": 1, "name": "Di", "email": "di@example.com", "role": "learner"}`,
    `{"name": "Ed", "email": "ed@example.com", "role": "learner", "deep": ${`{"a":`.repeat(DEPTH)}1${"}".repeat(DEPTH)}}`,
  ];
  const names: string[] = [];
  for (const payload of strange) {
    const { status, body } = await acme.request({
      method: "POST",
      url: "/api/v1/users",
      payload,
      headers: json,
    });
    assert.equal(status, 201, payload.slice(0, 80));
    assert.equal(body.archived_at, null);
    names.push(`${body.id} ${body.name}`);
  }
  assert.deepEqual(names, ["2 Ann", "3 Ben", "4 Cy", "5 Di", "6 Ed"]);
});

test("SQL, HTML and every script of the world are stored in every field and given back as they came", async () => {
  await using lectern = await startServer();
  const content = await makeContent(lectern, lectern.acme, "Amber");
  for (const operation of listWrites(lectern)) {
    const { name, method, body: schema = {} } = operation;
    const good = sampleOf(operation)?.(content);
    for (const { place, schema: field } of listPlaces(schema)) {
      const types = new Set([field.type ?? []].flat());
      if (!types.has("string") || field.enum !== undefined || field.format !== undefined) continue;
      for (const text of hostileTexts(place)) {
        // A custom field's name counts where no id stands beside it.
        const alone =
          place.length === 3 && place.at(-1) === "name"
            ? withValueAt(good, place.slice(0, 2), { value: "x" })
            : good;
        const payload = Object(withValueAt(alone, place, text));
        const answer = await lectern.acme.request({ method, url: addressOf(operation, content), payload });
        assert.ok(answer.status < 300, `${name} ${fieldName(place)} ${text} ${JSON.stringify(answer.body)}`);
        assert.ok(
          JSON.stringify(answer.body).includes(JSON.stringify(text)),
          `${name} gives ${fieldName(place)} back`,
        );
        // Its e-mail and ext_uid are free for the next one.
        if (name === "POST /api/v1/users") await lectern.acme.delete(`/api/v1/users/${answer.body.id}`);
      }
    }
  }
});

/** Texts for a field; those that name things or go into headers take what their rules allow. */
function hostileTexts(place: Place): string[] {
  switch (place.at(-1)) {
    case "role":
      return [];
    case "email":
      return [`o'hara"--<b>@example.com`, "漢字😀@例え.jp", "${7*7}{{7*7}}@example.com"];
    case "lesson_completed_callback_url":
      return [`https://hooks.example.com/'--?a=<script>&b=%00%0d%0aX:1`];
    case "lesson_completed_callback_authorization":
      return [`Bearer '; drop table users; -- <script>alert(1)</script> \\ %0d%0a`, "Bearer é"];
    case "name":
      return [`O'Hara -- <b>"x"</b> \\ drop table users / ?`, "漢字 😀 \u202e Ω ﷽ é", "null", "true", "007"];
    default:
      return [
        `'); drop table users; -- \\' "`,
        `<script>alert("x")</script><img src=x onerror=alert(1)>`,
        "漢字 😀 \u202e Ω ﷽ e\u0301 \u0001\t\r\n end",
        "${jndi:ldap://x} {{7*7}} %s %n =1+1 $1 :id ?",
        "null",
        "007",
      ];
  }
}

test("ten thousand elements are taken or refused, each at once", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const content = await makeContent(lectern, acme, "Amber");
  const { user_id, group_id, lesson_id } = content;
  const same = [
    acme.put(`/api/v1/lessons/${lesson_id}/assignments`, {
      assignments: many(() => ({ assignee_id: user_id })),
    }),
    acme.put(`/api/v1/groups/${group_id}`, { members: many(() => ({ id: user_id })) }),
    acme.put(`/api/v1/users/${user_id}/groups`, { memberships: many(() => ({ id: group_id })) }),
  ];
  for (const { status } of await Promise.all(same)) assert.equal(status, 200);
  const before = await dump(lectern);
  const unknown = [
    acme.put(`/api/v1/lessons/${lesson_id}/assignments`, {
      assignments: many((index) => ({ assignee_id: 900_000 + index })),
    }),
    acme.put(`/api/v1/groups/${group_id}`, { members: many((index) => ({ id: 900_000 + index })) }),
    acme.put(`/api/v1/users/${user_id}/groups`, { memberships: many((index) => ({ id: 900_000 + index })) }),
  ];
  for (const answer of await Promise.all(unknown)) assertRefused(answer, "unknown ids");
  assert.deepEqual(await dump(lectern), before);
});

function many<T>(element: (index: number) => T): T[] {
  return Array.from({ length: 10_000 }, (_, index) => element(index));
}
