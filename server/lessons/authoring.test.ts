import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { endAssignments } from "../test/complete.ts";
import { readEvents } from "../test/feed.ts";
import { type CommandResult, runCommand } from "../test/lectern.ts";
import { addUser } from "../test/people.ts";
import { type Person, signIn } from "../test/person.ts";
import { type Client, startServer } from "../test/server.ts";

const lectern = await startServer();
after(() => lectern[Symbol.asyncDispose]());

test("a lesson is written, published, changed and brought back", async () => {
  const acme = await lectern.addCompany({ subdomain: "written" });
  const cleo = await signIn(lectern, acme, { role: "creator" });
  await acme.post("/api/v2/tags", { name: "Safety" });
  const begun = await cleo.post("/api/v2/lessons", { title: " Fire safety " });
  assert.equal(begun.status, 201);
  assert.deepEqual(begun.body, {
    id: 1,
    resource_type: "lesson",
    title: "Fire safety",
    description: null,
    language: "en",
    retake_score: 80,
    public: false,
    owner_id: cleo.user_id,
    published_version: null,
    created_at: begun.body.created_at,
    last_updated_at: null,
    archived_at: null,
    archived_by_user_id: null,
    tags: [],
    links: {
      overview: "https://lectern.test/lessons/1-fire-safety",
      shareable: "https://lectern.test/lesson/1-fire-safety",
    },
  });
  const empty = (await cleo.get("/api/v2/lessons/1/draft")).body;
  const nothing = await cleo.post("/api/v2/lessons/1/publish", {});
  assert.equal(nothing.status, 409);
  assert.equal(nothing.body.detail, "There is nothing to take in this lesson yet: write a page first");
  const settings = {
    title: "Fire!",
    description: "What to do",
    language: "de",
    retake_score: 60,
    public: true,
  };
  const written = await cleo.put("/api/v2/lessons/1/draft", {
    ...settings,
    tag_ids: [1, 1],
    content: aPage("Rennen Sie zum Ausgang"),
  });
  assert.equal(written.status, 200);
  assert.deepEqual(written.body, {
    ...empty,
    ...settings,
    tag_ids: [1],
    content: aPage("Rennen Sie zum Ausgang"),
    updated_at: written.body.updated_at,
  });
  // Nobody sees a draft: version 1 and the catalogue say what was published.
  assert.equal((await acme.get("/api/v1/lessons/1")).body.title, "Fire safety");
  const published = await cleo.post("/api/v2/lessons/1/publish", { note: " First " });
  assert.equal(published.status, 201);
  const { changes, asked_again, ...version } = published.body;
  assert.deepEqual(version, {
    lesson_id: 1,
    number: 1,
    resource_type: "lesson_version",
    title: "Fire!",
    note: "First",
    learners: "nothing",
    due_by: null,
    published_at: version.published_at,
    published_by: cleo.user_id,
  });
  assert.deepEqual([changes.settings, asked_again], [[], 0]);
  const inVersion1 = (await acme.get("/api/v1/lessons/1")).body;
  assert.deepEqual(inVersion1, {
    ...inVersion1,
    title: "Fire!",
    description: "What to do",
    retake_score: 60,
    public: true,
    last_updated_at: version.published_at,
    tags: [{ id: 1, resource_type: "tag", name: "Safety" }],
  });
  assert.equal((await cleo.get("/api/v2/lessons/1")).body.published_version, 1);
  const again = await cleo.post("/api/v2/lessons/1/publish", {});
  assert.equal(again.status, 409);
  await cleo.patch("/api/v2/lessons/1/draft", { retake_score: 70, content: aPage("Gehen Sie") });
  const second = await cleo.post("/api/v2/lessons/1/publish", { learners: "tell" });
  assert.deepEqual([second.body.number, second.body.changes.settings], [2, ["retake_score"]]);
  assert.notDeepEqual(second.body.changes.content, []);
  const { body: list } = await cleo.get("/api/v2/lessons/1/versions?limit=1");
  assert.deepEqual([list.data[0].number, list.data[0].learners], [2, "tell"]);
  const rest = await cleo.get(`/api/v2/lessons/1/versions?limit=1&cursor=${list.next}`);
  assert.deepEqual(rest.body, { data: [version], next: null });
  const restored = await cleo.post("/api/v2/lessons/1/versions/1/restore");
  assert.deepEqual(restored.body, { ...written.body, based_on: 1, updated_at: restored.body.updated_at });
  assert.deepEqual((await cleo.get("/api/v2/lessons/1/versions/1")).body, {
    ...version,
    ...settings,
    tag_ids: [1],
    changes,
    content: written.body.content,
  });
  for (const missing of ["3", "9007199254740991"]) {
    assert.equal((await cleo.get(`/api/v2/lessons/1/versions/${missing}`)).status, 404);
    const report = await acme.get(`/api/v2/reports/lessons/1/questions?version=${missing}`);
    assert.equal(report.status, 404);
  }
});

test("two editors never overwrite each other unseen, and two who publish make one version", async () => {
  const acme = await lectern.addCompany({ subdomain: "editors" });
  const cleo = await signIn(lectern, acme, { role: "creator" });
  await cleo.post("/api/v2/lessons", { title: "Fire safety", content: aPage("Run") });
  const { headers, body: draft } = await cleo.get("/api/v2/lessons/1/draft");
  const change = (person: Person, title: string) =>
    person.request({
      method: "PATCH",
      url: "/api/v2/lessons/1/draft",
      headers: { "if-match": String(headers["etag"]) },
      payload: { title },
    });
  const ada = await signIn(lectern, acme, { role: "admin" });
  const answers = await Promise.all([change(cleo, "Cleo's"), change(ada, "Ada's")]);
  const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
  assert.deepEqual([won?.status, lost?.status], [200, 412]);
  assert.deepEqual(lost?.body.current, won?.body);
  assert.equal(lost?.body.current_etag, won?.headers["etag"]);
  assert.deepEqual([won?.body.title, lost?.body.yours.title].toSorted(), ["Ada's", "Cleo's"]);
  const current = (await cleo.get("/api/v2/lessons/1/draft")).body;
  assert.deepEqual(current, {
    ...draft,
    title: won?.body.title,
    updated_at: current.updated_at,
    updated_by: current.updated_by,
  });
  const stale = await cleo.request({
    method: "POST",
    url: "/api/v2/lessons/1/publish",
    headers: { "if-match": String(headers["etag"]) },
    payload: {},
  });
  assert.equal(stale.status, 412);
  const published = await Promise.all([1, 2, 3].map(() => cleo.post("/api/v2/lessons/1/publish", {})));
  assert.deepEqual(published.map(({ status }) => status).toSorted(), [201, 409, 409]);
  assert.equal((await cleo.get("/api/v2/lessons/1/versions")).body.data.length, 1);
});

test("publishing asks those again who have completed, and nobody else", async () => {
  const acme = await lectern.addCompany({ subdomain: "again" });
  await acme.post("/api/v2/lessons", { title: "Fire safety", content: aPage("Run") });
  await acme.post("/api/v2/lessons/1/publish", {});
  const people = [await addUser(acme, "Grace"), await addUser(acme, "Alan"), await addUser(acme, "Mary")];
  const assignments = people.map(({ id }) => ({ assignee_id: id, due_by: "2026-01-01" }));
  await acme.put("/api/v1/lessons/1/assignments", { assignments });
  await endAssignments(lectern, acme, { ids: [1, 3], status: "Completed", score: 90 });
  await acme.put(`/api/v1/users/${people[2].id}/archive`);
  await patch(acme, "/api/v2/lessons/1/draft", { content: aPage("Walk") });
  const misplaced = await acme.post("/api/v2/lessons/1/publish", { due_by: "2099-01-01" });
  assert.deepEqual([misplaced.status, misplaced.body.errors[0].pointer], [422, "/due_by"]);
  const again = { learners: "ask_again", due_by: "2099-01-01" };
  const { body: published } = await acme.post("/api/v2/lessons/1/publish", again);
  assert.deepEqual(
    [published.number, published.learners, published.due_by, published.asked_again],
    [2, "ask_again", "2099-01-01T00:00:00Z", 1],
  );
  const { body } = await acme.get("/api/v1/lessons/1/assignments");
  assert.deepEqual(
    body.assignments.map((row: Record<string, unknown>) => [row["status"], row["due_by"], row["score"]]),
    [
      ["Incomplete", "2099-01-01T00:00:00Z", 90],
      ["Overdue", "2026-01-01T00:00:00Z", null],
      ["Completed", "2026-01-01T00:00:00Z", 90],
    ],
  );
  const { body: lesson } = await acme.get("/api/v2/lessons/1?include=counts");
  assert.deepEqual(lesson.counts, { assignees: 3, completed: 1, total_completions: 1 });
});

test("a creator writes what is theirs or shared with them; the rest is not there", async () => {
  const acme = await lectern.addCompany({ subdomain: "shared" });
  const { globex } = lectern;
  const cleo = await signIn(lectern, acme, { role: "creator", name: "Cleo" });
  const carl = await signIn(lectern, acme, { role: "creator", name: "Carl" });
  const learner = await signIn(lectern, acme, { role: "learner" });
  await cleo.post("/api/v2/lessons", { title: "Cleo's", content: aPage("Run") });
  await acme.post("/api/v2/lessons", { title: "The company's" });
  assert.deepEqual(await titles(cleo, ""), ["The company's", "Cleo's"]);
  assert.deepEqual(await titles(cleo, "?filter[mine]=true"), ["Cleo's"]);
  assert.deepEqual(await titles(carl, "?filter[mine]=true"), []);
  for (const url of ["draft", "versions", "authors", "markdown"]) {
    assert.equal((await carl.get(`/api/v2/lessons/1/${url}`)).status, 404, url);
    assert.equal((await learner.get(`/api/v2/lessons/1/${url}`)).status, 403, url);
    assert.equal((await globex.get(`/api/v2/lessons/1/${url}`)).status, 404, url);
  }
  for (const url of ["publish", "copy", "archive", "restore"])
    assert.equal((await carl.post(`/api/v2/lessons/1/${url}`, {})).status, 404, url);
  const shared = await cleo.put(`/api/v2/lessons/1/authors/${carl.user_id}`, { role: "author" });
  assert.deepEqual(shared.body, { user_id: carl.user_id, name: "Carl", role: "author" });
  assert.deepEqual(await titles(carl, "?filter[mine]=true"), ["Cleo's"]);
  assert.equal((await patch(carl, "/api/v2/lessons/1/draft", { title: "Ours" })).status, 200);
  const taken = await carl.put(`/api/v2/lessons/1/authors/${carl.user_id}`, { role: "owner" });
  assert.equal(taken.status, 403);
  const given = await cleo.put(`/api/v2/lessons/1/authors/${carl.user_id}`, { role: "owner" });
  assert.equal(given.body.role, "owner");
  assert.deepEqual((await carl.get("/api/v2/lessons/1/authors")).body, {
    data: [given.body, { user_id: cleo.user_id, name: "Cleo", role: "author" }],
    next: null,
  });
  assert.equal((await carl.delete(`/api/v2/lessons/1/authors/${carl.user_id}`)).status, 409);
  const removed = await carl.delete(`/api/v2/lessons/1/authors/${cleo.user_id}`);
  assert.deepEqual(removed.body, { id: cleo.user_id });
  assert.equal((await cleo.get("/api/v2/lessons/1/draft")).status, 404);
  const copied = await carl.post("/api/v2/lessons/1/copy", { title: "Mine" });
  assert.deepEqual([copied.body.id, copied.body.title, copied.body.owner_id], [3, "Mine", carl.user_id]);
  assert.deepEqual((await carl.get("/api/v2/lessons/3/draft")).body.content, aPage("Run"));
  const archived = await carl.post("/api/v2/lessons/3/archive");
  assert.equal(archived.body.archived_by_user_id, carl.user_id);
  assert.deepEqual(await titles(carl, "?filter[archived]=true"), ["Mine"]);
  assert.equal((await patch(carl, "/api/v2/lessons/3/draft", { title: "No" })).status, 409);
  assert.equal((await carl.post("/api/v2/lessons/3/publish", {})).status, 409);
  assert.equal((await carl.post("/api/v2/lessons/3/restore")).body.archived_at, null);
});

test("what is wrong is named, and nothing is changed", async () => {
  const acme = await lectern.addCompany({ subdomain: "wrong" });
  await acme.post("/api/v2/lessons", { title: "Fire safety" });
  const before = (await acme.get("/api/v2/lessons/1/draft")).body;
  const image = { id: "i", type: "image", file_id: 4, alt: "Fire" };
  const cases = [
    [{ title: "  " }, "/title"],
    [{ title: "\u0001" }, "/title"],
    [{ retake_score: 101 }, "/retake_score"],
    [{ language: "xx" }, "/language"],
    [{ owner_id: 1 }, "/owner_id"],
    [{ tag_ids: [9_007_199_254_740_991] }, "/tag_ids/0"],
    [{ content: { sections: [{}] } }, "/content/sections/0/id"],
    [{ content: aPage("x", image) }, "/content/sections/0/pages/0/blocks/1/file_id"],
  ] as const;
  for (const [body, pointer] of cases) {
    const { status, body: problem } = await patch(acme, "/api/v2/lessons/1/draft", body);
    assert.equal(status, 422, JSON.stringify(problem));
    assert.equal(problem.errors[0].pointer, pointer);
  }
  const bomb = await acme.request({
    method: "PATCH",
    url: "/api/v2/lessons/1/draft",
    headers: { "content-type": "application/json", "if-match": '"old"', "idempotency-key": "bomb" },
    payload: `{"content":${'{"a":'.repeat(50_000)}1${"}".repeat(50_001)}`,
  });
  assert.equal(bomb.status, 422);
  assert.deepEqual((await acme.get("/api/v2/lessons/1/draft")).body, before);
});

test("an imported lesson has an empty draft, and what version 1 changes, the draft follows", async () => {
  const acme = await lectern.addCompany({ subdomain: "imported" });
  const { make } = lectern;
  await make.lesson(acme, { title: "Fire", retake_score: 50, public: true });
  await make.tag(acme, "Safety", [{ type: "Lesson", id: 1 }]);
  const draft = (await acme.get("/api/v2/lessons/1/draft")).body;
  assert.deepEqual(draft, {
    id: 1,
    resource_type: "lesson_draft",
    title: "Fire",
    description: null,
    language: "en",
    retake_score: 50,
    public: true,
    tag_ids: [1],
    content: { sections: [] },
    based_on: null,
    updated_at: null,
    updated_by: null,
  });
  await patch(acme, "/api/v2/lessons/1/draft", { title: "Flames", content: aPage("Run") });
  await acme.put("/api/v1/lessons/1", { title: "Fire!", retake_score: 90 });
  const { title, retake_score, tag_ids } = (await acme.get("/api/v2/lessons/1/draft")).body;
  assert.deepEqual([title, retake_score, tag_ids], ["Flames", 90, [1]]);
  await acme.post("/api/v2/lessons/1/publish", {});
  assert.equal((await acme.get("/api/v1/lessons/1")).body.title, "Flames");
  assert.deepEqual((await acme.delete("/api/v2/tags/1")).body, { id: 1 });
  assert.deepEqual((await acme.get("/api/v2/lessons/1/draft")).body.tag_ids, []);
  assert.deepEqual((await acme.get("/api/v2/lessons/1/versions/1")).body.tag_ids, []);
});

test("a lesson of every kind of block comes in as Markdown, and goes out the same", async () => {
  const acme = await lectern.addCompany({ subdomain: "markdown" });
  const cleo = await signIn(lectern, acme, { role: "creator" });
  await addFiles(acme, cleo);
  const text = await readFile(new URL("../../docs/example-lesson.md", import.meta.url), "utf8");
  const made = await sendMarkdown(cleo, "POST", "/api/v2/lessons/markdown", text);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const first = (await cleo.get("/api/v2/lessons/1/draft")).body;
  assert.deepEqual([first.retake_score, first.public, first.tag_ids], [80, true, [1, 2]]);
  const shown = await cleo.get("/api/v2/lessons/1/markdown");
  assert.deepEqual([shown.status, shown.headers["content-type"]], [200, "text/markdown; charset=utf-8"]);
  const same = await sendMarkdown(cleo, "PUT", "/api/v2/lessons/1/markdown", shown.body);
  assert.deepEqual(same.body, first);
  assert.equal(same.headers["etag"], shown.headers["etag"]);
  await cleo.post("/api/v2/lessons/1/publish", {});
  await sendMarkdown(cleo, "PUT", "/api/v2/lessons/1/markdown", shown.body.replace("Phishing", "Fishing"));
  assert.equal((await cleo.get("/api/v2/lessons/1/markdown?version=1")).body, shown.body);
  assert.match((await cleo.get("/api/v2/lessons/1/draft")).body.title, /^Fishing/);
  const wrong = await sendMarkdown(cleo, "PUT", "/api/v2/lessons/1/markdown", "No front matter");
  assert.deepEqual([wrong.status, wrong.body.errors[0].field], [422, "line 1"]);
  const long = await sendMarkdown(cleo, "POST", "/api/v2/lessons/markdown", "x".repeat(2_097_153));
  assert.equal(long.status, 413);
});

test("an operator brings lessons in from files, all or none, and writes them out again", async () => {
  const acme = await lectern.addCompany({ subdomain: "files" });
  const folder = await mkdtemp(path.join(tmpdir(), "lectern-"));
  try {
    const [good, bad] = [path.join(folder, "good.md"), path.join(folder, "bad.md")];
    const text = "---\ntitle: Fire\ntags: [Safety]\n---\n\n# One\n\n## Two\n\nRun.\n";
    await writeFile(good, text);
    await writeFile(bad, "no front matter");
    const refused = await command("lesson", "import", good, bad, "--subdomain", "files");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /bad\.md: line 1 /);
    assert.deepEqual((await acme.get("/api/v2/lessons")).body.data, []);
    const made = await command("lesson", "import", good, "--subdomain", "files", "--publish", "--json");
    assert.deepEqual(JSON.parse(made.stdout), [{ id: 1, title: "Fire", file: good }]);
    assert.equal((await acme.get("/api/v2/lessons/1")).body.published_version, 1);
    const told = await readEvents(lectern.database, acme.company);
    assert.deepEqual(
      told.filter(({ type }) => type.startsWith("lesson.")).map(({ type }) => type),
      ["lesson.created", "lesson.published"],
    );
    const written = await command("lesson", "export", "1", "--subdomain", "files", "--to", folder);
    assert.equal(written.stdout, `${path.join(folder, "1-fire.md")}\n`);
    const shown = await acme.get("/api/v2/lessons/1/draft");
    const again = await readFile(path.join(folder, "1-fire.md"), "utf8");
    const cleo = await signIn(lectern, acme, { role: "admin" });
    const same = await sendMarkdown(cleo, "PUT", "/api/v2/lessons/1/markdown", again);
    assert.deepEqual(same.body, shown.body);
  } finally {
    await rm(folder, { recursive: true });
  }
});

function command(...words: string[]): Promise<CommandResult> {
  return runCommand({ DATABASE_URL: lectern.ownerUrl }, words);
}

function aPage(text: string, ...more: object[]) {
  const content = { type: "doc", content: [{ type: "paragraph", content: [{ type: "text", text }] }] };
  const blocks = [{ id: "b", type: "rich_text", content }, ...more];
  return { sections: [{ id: "s", title: "Section", pages: [{ id: "p", title: "Page", blocks }] }] };
}

function patch(caller: Pick<Person, "request">, url: string, payload: object) {
  return caller.request({ method: "PATCH", url, payload });
}

function sendMarkdown(person: Person, method: "POST" | "PUT", url: string, payload: string) {
  return person.request({ method, url, payload, headers: { "content-type": "text/markdown" } });
}

async function titles(person: Person, query: string): Promise<string[]> {
  const { body } = await person.get(`/api/v2/lessons${query}`);
  return body.data.map(({ title }: { title: string }) => title);
}

/** The files that the example shows, as if they had been uploaded. */
async function addFiles(client: Client, { user_id }: Person): Promise<void> {
  const created = { created_by_user_id: user_id, created_at: new Date().toISOString() };
  await lectern.make.write(client, async (tx) => {
    for (const id of [12, 13, 14, 15, 16, 17])
      await tx.sql
        .insertInto("files")
        .values({ company_id: tx.company.id, id, name: `${id}`, kind: "image", ...created })
        .execute();
  });
}
