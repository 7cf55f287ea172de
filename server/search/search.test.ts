import assert from "node:assert/strict";
import { after, test } from "node:test";
import { addUser } from "../test/people.ts";
import { type Person, signIn } from "../test/person.ts";
import { type Client, startServer } from "../test/server.ts";

const lectern = await startServer();
after(() => lectern[Symbol.asyncDispose]());

test("words are found in the forms of their language, as they are typed, and marked", async () => {
  const acme = await lectern.addCompany({ subdomain: "words" });
  await publish(acme, { title: "Brandschutz", language: "de" }, "Alle Feuerlöscher <b>hängen</b> im Flur.");
  await publish(acme, { title: "Running a meeting", language: "en" }, "Meetings that organise themselves");
  await publish(acme, { title: "安全", language: "zh-CN" }, "火灾时请走楼梯");
  await publish(acme, { title: "安全ガイド", language: "ja" }, "東京都に住んでいます");
  await publish(acme, { title: "Безопасность", language: "ru" }, "Не открывайте двери");
  await publish(acme, { title: "Fire, door & exit", language: "en" }, "A door, and a door; once more a door");
  const cases = [
    ["feuerl", ["Brandschutz"]],
    ["FEUERLÖSCHERN", ["Brandschutz"]],
    ["meet", ["Running a meeting"]],
    ["run meeting", ["Running a meeting"]],
    ["organising", ["Running a meeting"]],
    ["楼梯", ["安全"]],
    ["安全", ["安全", "安全ガイド"]],
    ["東京", ["安全ガイド"]],
    ["дверь", ["Безопасность"]],
    ["fire ex", ["Fire, door & exit"]],
    ["fire nowhere", []],
    ["!!! ' \\ & :* | <->", []],
    ["", []],
    ["' or \\door", []],
  ] as const;
  for (const [q, titles] of cases) assert.deepEqual(await find(acme, q), titles, q);
  const { body } = await acme.get(`/api/v2/search?q=${encodeURIComponent("feuerl")}`);
  assert.deepEqual(body, {
    data: [
      {
        resource_type: "lesson",
        id: 1,
        title: { text: "Brandschutz", marks: [] },
        snippet: {
          text: "Section Page Alle Feuerlöscher <b>hängen</b> im Flur.",
          marks: [{ start: 18, end: 30 }],
        },
      },
    ],
    next: null,
  });
});

test("a title weighs more than a tag, a tag more than the text; pages neither lose nor repeat", async () => {
  const acme = await lectern.addCompany({ subdomain: "ranks" });
  const { body: tag } = await acme.post("/api/v2/tags", { name: "Harbour" });
  await publish(acme, { title: "Text" }, "The harbour at night");
  await publish(acme, { title: "Tag", tag_ids: [tag.id] }, "Nothing");
  await publish(acme, { title: "Harbour" }, "Nothing");
  assert.deepEqual(await find(acme, "harbour"), ["Harbour", "Tag", "Text"]);
  const paged: string[] = [];
  let url: string | null = "/api/v2/search?q=harbour&limit=1";
  while (url !== null && paged.length <= 3) {
    const { status, body } = await acme.get(url);
    assert.equal(status, 200);
    paged.push(...body.data.map(titleOf));
    url = body.next === null ? null : `/api/v2/search?q=harbour&limit=1&cursor=${body.next}`;
  }
  assert.deepEqual(paged, ["Harbour", "Tag", "Text"]);
  await acme.request({ method: "PATCH", url: `/api/v2/tags/${tag.id}`, payload: { name: "Port" } });
  assert.deepEqual(await find(acme, "port"), ["Tag"]);
  await acme.put("/api/v1/lessons/1", { title: "Port authority" });
  assert.deepEqual(await find(acme, "port"), ["Port authority", "Tag"]);
  assert.deepEqual(await find(acme, "authority harbour"), ["Port authority"]);
  await acme.delete(`/api/v2/tags/${tag.id}`);
  assert.deepEqual(await find(acme, "port"), ["Port authority"]);
  const { body: clash } = await acme.post("/api/v2/tags", { name: "A" });
  const refused = await acme.post("/api/v2/tags", { name: " a " });
  assert.deepEqual(refused.body.errors, [
    { pointer: "/name", field: "name", detail: `is the name of tag ${clash.id} already` },
  ]);
  assert.deepEqual((await acme.get("/api/v2/tags")).body, { data: [clash], next: null });
});

test("each finds what they may see: the library, what they are assigned, what they write", async () => {
  const acme = await lectern.addCompany({ subdomain: "sights" });
  const globex = await lectern.addCompany({ subdomain: "others" });
  const cleo = await signIn(lectern, acme, { role: "creator" });
  const learner = await signIn(lectern, acme, { role: "learner" });
  await publish(acme, { title: "Ship public", public: true }, "x");
  await publish(acme, { title: "Ship assigned" }, "x");
  await publish(acme, { title: "Ship in a path" }, "x");
  await publish(acme, { title: "Ship hidden" }, "x");
  await publish(acme, { title: "Ship archived", public: true }, "x");
  await cleo.post("/api/v2/lessons", { title: "Ship begun", public: true });
  await acme.put("/api/v1/lessons/5/archive");
  await publish(globex, { title: "Ship of others", public: true }, "x");
  const inner = await lectern.make.path(acme, { contents: [{ resource_type: "lesson", lesson_id: 3 }] });
  const outer = await lectern.make.path(acme, {
    contents: [{ resource_type: "path", nested_path_id: inner }],
  });
  await assign(acme, "lessons/2", learner.user_id);
  await assign(acme, `paths/${outer}`, learner.user_id);
  const all = ["Ship public", "Ship assigned", "Ship in a path", "Ship hidden", "Ship begun"];
  assert.deepEqual((await find(learner, "ship")).toSorted(), all.slice(0, 3).toSorted());
  assert.deepEqual((await find(cleo, "ship")).toSorted(), all.toSorted());
  assert.deepEqual((await find(acme, "ship")).toSorted(), all.toSorted());
  assert.deepEqual(await find(globex, "ship"), ["Ship of others"]);
  const nobody = await lectern.app.inject({ url: "/api/v2/search?q=ship" });
  assert.equal(nobody.statusCode, 401);
});

test("the library shows what anyone may take, and counts who opens it", async () => {
  const acme = await lectern.addCompany({ subdomain: "library" });
  const learner = await signIn(lectern, acme, { role: "learner" });
  const { body: tag } = await acme.post("/api/v2/tags", { name: "Sea" });
  await publish(acme, { title: "Boats", public: true, tag_ids: [tag.id] }, "x");
  await publish(acme, { title: "Private" }, "x");
  await publish(acme, { title: "Waves", public: true }, "x");
  await acme.post("/api/v2/lessons", { title: "Begun", public: true });
  const path_id = await lectern.make.path(acme, { title: "Seafaring", public: true });
  await lectern.make.path(acme, { title: "Not published", public: true });
  await lectern.make.write(acme, (tx) =>
    tx.sql
      .updateTable("paths")
      .set({ published_version: 1 })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", path_id)
      .execute(),
  );
  const { body: whole } = await learner.get("/api/v2/library");
  assert.deepEqual(whole.data.map(nameOf), ["lesson 3 Waves", "path 1 Seafaring", "lesson 1 Boats"]);
  assert.deepEqual(whole.data[1], {
    resource_type: "path",
    id: 1,
    title: "Seafaring",
    description: "",
    language: null,
    last_updated_at: null,
    tags: [],
  });
  const paged: object[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body }: { body: { data: object[]; next: string | null } } = await learner.get(
      `/api/v2/library?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`,
    );
    paged.push(...body.data);
    cursor = body.next;
  }
  assert.deepEqual(paged, whole.data);
  const some = async (query: string) => (await learner.get(`/api/v2/library?${query}`)).body.data.map(nameOf);
  assert.deepEqual(await some(`filter[tag_id]=${tag.id}`), ["lesson 1 Boats"]);
  assert.deepEqual(await some("filter[type]=path"), ["path 1 Seafaring"]);
  assert.deepEqual(await some("filter[q]=wav"), ["lesson 3 Waves"]);
  const view = (body: object) => learner.post("/api/v2/library/views", body);
  assert.deepEqual((await view({ resource_type: "lesson", id: 1 })).body, {
    resource_type: "lesson",
    id: 1,
    views: 1,
  });
  await Promise.all([view({ resource_type: "lesson", id: 1 }), view({ resource_type: "path", id: 1 })]);
  assert.equal((await view({ resource_type: "lesson", id: 2 })).status, 404);
  assert.equal((await acme.post("/api/v2/library/views", { resource_type: "lesson", id: 1 })).status, 403);
  const statistics = await acme.get(`/api/v1/users/${learner.user_id}/learning_library_statistics`);
  assert.deepEqual(statistics.body.learning_library_statistics, {
    total_completed: 0,
    total_views: 3,
    unique_lesson_and_path_views: 2,
  });
});

test("a plan without the library has none, and a cursor of another list is refused", async () => {
  const acme = await lectern.addCompany({ subdomain: "plain", has_learning_library: false });
  const user = await addUser(acme, "Grace");
  const grace = await signIn(lectern, acme, { user_id: user.id });
  await publish(acme, { title: "Ship", public: true }, "x");
  assert.equal((await grace.get("/api/v2/library")).status, 403);
  assert.deepEqual(await find(grace, "ship"), []);
  const cursor = Buffer.from('[1,"\\u0000",1]').toString("base64url");
  for (const url of ["/api/v2/search?q=x&", "/api/v2/lessons?cursor=%00&", "/api/v2/tags?cursor=a&"])
    assert.equal(
      (await acme.get(`${url}${url.includes("cursor") ? "" : `cursor=${cursor}`}`)).status,
      422,
      url,
    );
});

/** The titles that a search finds, the best first. */
async function find(caller: Person | Client, q: string): Promise<string[]> {
  const { status, body } = await caller.get(`/api/v2/search?q=${encodeURIComponent(q)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map(titleOf);
}

function titleOf({ title }: { title: { text: string } }): string {
  return title.text;
}

function nameOf({ resource_type, id, title }: { resource_type: string; id: number; title: string }): string {
  return `${resource_type} ${id} ${title}`;
}

async function assign(client: Client, what: string, assignee_id: number): Promise<void> {
  const { status } = await client.put(`/api/v1/${what}/assignments`, { assignments: [{ assignee_id }] });
  assert.equal(status, 200);
}

/** Writes and publishes a lesson with one paragraph. */
async function publish(client: Client, settings: object, text: string): Promise<void> {
  const content = { type: "doc", content: [{ type: "paragraph", content: [{ type: "text", text }] }] };
  const pages = [{ id: "p", title: "Page", blocks: [{ id: "b", type: "rich_text", content }] }];
  const made = await client.post("/api/v2/lessons", {
    title: "Lesson",
    ...settings,
    content: { sections: [{ id: "s", title: "Section", pages }] },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const published = await client.post(`/api/v2/lessons/${made.body.id}/publish`, {});
  assert.equal(published.status, 201, JSON.stringify(published.body));
}
