import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { commandActor } from "../companies/create.ts";
import { viewerOfRole } from "../privileges/privileges.ts";
import { signIn } from "../test/person.ts";
import { type Client, startServer, type TestServer } from "../test/server.ts";
import { pathOf, upload } from "../test/uploads.ts";
import { collectFiles, type Collected } from "./collect.ts";
import { fileWork } from "./depot.ts";
import { checkFiles, removeFileReferences, setFileReferences } from "./references.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TEXT = "0123456789";

test("what is in a file", async (t) => {
  let nowMs = Date.now();
  await using lectern = await startServer({ clock: () => new Date(nowMs) });
  const { acme } = lectern;
  const file = await upload(acme, { name: 'Grüße "1".txt', bytes: Buffer.from(TEXT) });
  await t.test("is sent in ranges", () => sendsRanges(lectern, file));
  await t.test("is shown to who has its address unchanged, and to nobody else", () =>
    guardsAddresses(lectern, file),
  );
  await t.test("is not shown once the address has expired", async () => {
    nowMs += 3 * HOUR_MS;
    const expired = await lectern.app.inject(pathOf(file.url));
    assert.deepEqual([expired.statusCode, expired.json().detail], [403, CHANGED]);
    const { body: again } = await acme.get(`/api/v2/files/${file.id}`);
    assert.equal((await lectern.app.inject(pathOf(again.url))).body, TEXT);
  });
  await t.test("files are listed from the newest on, and by kind", () => listsFiles(lectern));
  await t.test("what shows a file keeps it", () => keepsWhatIsShown(lectern));
  await t.test("only who sees a file may show it to others", () => checksWhoShows(lectern));
  await t.test("what nothing shows is collected after a week, uploads after a day", async () => {
    const shown = await upload(acme, { name: "shown.txt", bytes: Buffer.from("shown") });
    const dropped = await upload(acme, { name: "dropped.txt", bytes: Buffer.from("dropped") });
    const lesson = { resource_type: "lesson", resource_id: 70, version: 0 };
    await write(lectern, acme, (tx) => setFileReferences(tx, lesson, [shown.id, dropped.id]));
    const { body: begun } = await acme.post("/api/v2/uploads", { name: "given-up.txt", size: 5 });
    // As a crash leaves it, after the bytes were stored and before that was written down.
    const stray = `${acme.company.id}/${begun.id}/1-stray`;
    await lectern.files.store.put(stray, Readable.from([Buffer.from("stray")]), 5);
    const { total: files } = await countFiles(lectern, acme);
    const deletedBefore = { files: 0, uploads: 0, blobs: 1 };
    assert.deepEqual(await collect(lectern, acme), deletedBefore);
    nowMs += 6 * DAY_MS;
    await write(lectern, acme, (tx) => setFileReferences(tx, lesson, [shown.id]));
    const early = await collect(lectern, acme);
    assert.deepEqual([early.files, early.blobs], [0, 0]);
    assert.ok(early.uploads > 0);
    nowMs += 2 * DAY_MS;
    assert.equal(
      (await collect(lectern, acme)).files,
      files - 2,
      "all but what is shown, and was two days ago",
    );
    nowMs += 6 * DAY_MS;
    assert.deepEqual(await collect(lectern, acme), { files: 1, uploads: 0, blobs: 1 });
    const left = await acme.get("/api/v2/files");
    assert.deepEqual(
      left.body.data.map(({ id }: { id: number }) => id),
      [shown.id],
    );
    assert.deepEqual(await countFiles(lectern, acme), { total: 1, bytes: "shown".length });
    assert.equal((await lectern.app.inject(pathOf(left.body.data[0].url))).body, "shown");
    assert.equal((await lectern.files.store.list(`${acme.company.id}/`)).length, 1);
  });
});

const CHANGED = "This address has expired or was changed: ask for the file again to get a new one";

interface Shown {
  readonly id: number;
  readonly url: string;
  readonly sha256: string;
}

async function sendsRanges({ app }: TestServer, { url, sha256 }: Shown): Promise<void> {
  const ask = (headers: Record<string, string>, method: "GET" | "HEAD" = "GET") =>
    app.inject({ method, url: pathOf(url), headers });
  const etag = `"${sha256}"`;
  for (const [range, status, body, contentRange] of [
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=7-", 206, "789", "bytes 7-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=-99", 206, TEXT, "bytes 0-9/10"],
    ["bytes=9-999999999999999", 206, "9", "bytes 9-9/10"],
    ["bytes=0-1,4-5", 200, TEXT, undefined],
    ["bytes=4-2", 200, TEXT, undefined],
    ["lines=1-2", 200, TEXT, undefined],
  ] as const) {
    const answer = await ask({ range });
    assert.deepEqual(
      [answer.statusCode, answer.body, answer.headers["content-range"]],
      [status, body, contentRange],
      range,
    );
    assert.equal(answer.headers["content-length"], String(body.length));
  }
  for (const range of ["bytes=10-", "bytes=-0"]) {
    const beyond = await ask({ range });
    assert.deepEqual([beyond.statusCode, beyond.headers["content-range"]], [416, "bytes */10"]);
  }
  assert.equal((await ask({ range: "bytes=0-1", "if-range": etag })).body, "01");
  assert.equal((await ask({ range: "bytes=0-1", "if-range": '"another"' })).body, TEXT);
  const same = await ask({ "if-none-match": `"another", ${etag}` });
  assert.deepEqual([same.statusCode, same.body, same.headers.etag], [304, "", etag]);
  const head = await ask({}, "HEAD");
  assert.deepEqual([head.statusCode, head.body, head.headers["content-length"]], [200, "", "10"]);
  const { headers } = await ask({ accept: "image/avif,image/webp" });
  const disposition = `inline; filename="Gr__e _1_.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%221%22.txt`;
  assert.deepEqual(
    [
      headers["content-type"],
      headers["content-disposition"],
      headers["cache-control"],
      headers["accept-ranges"],
    ],
    ["text/plain; charset=utf-8", disposition, "private, max-age=3600", "bytes"],
  );
}

async function guardsAddresses({ app, acme, globex }: TestServer, { id, url }: Shown): Promise<void> {
  const path = pathOf(url);
  const other = await upload(globex, { name: "other.txt", bytes: Buffer.from("Other") });
  assert.equal(other.id, id, "both companies have a file of this number");
  assert.equal((await app.inject(path)).body, TEXT, "no key, no cookie");
  const expires = /expires=(\d+)/.exec(path)?.[1];
  for (const changed of [
    path.replace("/acme/", "/globex/"),
    path.replace(`files/${id}/`, `files/${id + 1}/`),
    path.replace(`expires=${expires}`, `expires=${Number(expires) + 1}`),
    // By another first character, whatever it begins with.
    path.replace(/signature=(.)/, (_, first) => `signature=${first === "_" ? "-" : "_"}`),
    path.replace(/signature=[^&]+/, "signature="),
    `${path}&size=320`,
  ]) {
    const refused = await app.inject(changed);
    assert.deepEqual([refused.statusCode, refused.json().detail], [403, CHANGED], changed);
  }
  assert.equal((await app.inject(path.split("?")[0] ?? "")).statusCode, 422);
  assert.equal((await app.inject(path.replace("/acme/", "/nobody/"))).statusCode, 404);
  assert.equal((await globex.get("/api/v2/files/99")).status, 404);
  assert.equal((await acme.get("/api/v2/files/99")).status, 404);
}

async function listsFiles({ acme }: TestServer): Promise<void> {
  await upload(acme, { name: "a.csv", bytes: Buffer.from("a;b") });
  const page = await upload(acme, { name: "page.html", bytes: Buffer.from("<p>") });
  const first = await acme.get("/api/v2/files?limit=2");
  const second = await acme.get(`/api/v2/files?limit=2&cursor=${first.body.next}`);
  const names = [...first.body.data, ...second.body.data].map(({ name }: { name: string }) => name);
  assert.deepEqual([names, second.body.next], [["page.html", "a.csv", 'Grüße "1".txt'], null]);
  assert.deepEqual((await acme.get("/api/v2/files?filter[kind]=download")).body, {
    data: [page],
    next: null,
  });
  assert.equal((await acme.get("/api/v2/files?filter[kind]=folder")).status, 422);
}

async function keepsWhatIsShown(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const { id } = await upload(acme, { name: "kept.txt", bytes: Buffer.from("kept") });
  const lesson = { resource_type: "lesson", resource_id: 7 };
  await write(lectern, acme, (tx) => setFileReferences(tx, { ...lesson, version: 0 }, [id, id]));
  await write(lectern, acme, (tx) => setFileReferences(tx, { ...lesson, version: 1 }, [id]));
  await write(lectern, acme, (tx) => setFileReferences(tx, { ...lesson, version: 0 }, []));
  const refused = await acme.delete(`/api/v2/files/${id}`);
  assert.deepEqual(
    [refused.status, refused.body.detail],
    [409, "This file is shown in lesson 7: take it out there first"],
  );
  const unknown = write(lectern, acme, (tx) => setFileReferences(tx, { ...lesson, version: 1 }, [id, 999]));
  await assert.rejects(unknown, { message: "file_id names no file of this company: 999" });
  await write(lectern, acme, (tx) => removeFileReferences(tx, lesson));
  assert.deepEqual((await acme.delete(`/api/v2/files/${id}`)).body, { id });
}

async function checksWhoShows(lectern: TestServer): Promise<void> {
  const { acme, globex } = lectern;
  const [learner, creator] = [await signIn(lectern, acme), await signIn(lectern, acme, { role: "creator" })];
  const recording = await upload(learner, { name: "mine.txt", bytes: Buffer.from("mine") });
  const drawing = await upload(creator, { name: "drawing.txt", bytes: Buffer.from("drawing") });
  const lesson = { resource_type: "lesson", resource_id: 8 };
  const viewer = viewerOfRole(creator.user_id, "creator");
  const check = (client: Client, ids: readonly number[]) =>
    write(lectern, client, (tx) =>
      checkFiles(
        { ...tx, viewer },
        lesson,
        ids.map((id, index) => ({ id, field: `blocks[${index}].file_id` })),
      ),
    );
  await check(acme, [drawing.id]);
  await assert.rejects(check(acme, [drawing.id, recording.id, 999]), {
    errors: [1, 2].map((index) => ({
      field: `blocks[${index}].file_id`,
      message: "names no file of this company that you may show",
    })),
  });
  await assert.rejects(check(globex, [drawing.id]));
  // A co-author may leave in a lesson what its owner has put there.
  await write(lectern, acme, (tx) => setFileReferences(tx, { ...lesson, version: 0 }, [recording.id]));
  await check(acme, [drawing.id, recording.id]);
  await write(lectern, acme, (tx) => removeFileReferences(tx, lesson));
}

function write<T>(
  { database }: TestServer,
  { company }: Client,
  run: Parameters<typeof database.write<T>>[2],
): Promise<T> {
  return database.write(company, commandActor, run);
}

async function collect({ database, files }: TestServer, { company }: Client): Promise<Collected> {
  return collectFiles(fileWork(files, database, { company, actor: commandActor }));
}

/** How many files the company has, and how many bytes they take, as both are counted. */
async function countFiles(lectern: TestServer, client: Client): Promise<{ total: number; bytes: number }> {
  const rows = await write(lectern, client, (tx) =>
    tx.sql
      .selectFrom("counters")
      .select(["kind", "total"])
      .where("company_id", "=", tx.company.id)
      .where("kind", "in", ["files", "file_bytes"])
      .orderBy("kind")
      .execute(),
  );
  return { total: rows[1]?.total ?? 0, bytes: rows[0]?.total ?? 0 };
}
