import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { commandActor } from "../companies/create.ts";
import { readConfig } from "../config.ts";
import { until } from "../test/patience.ts";
import { signIn } from "../test/person.ts";
import { startS3, temporaryFolder } from "../test/s3.ts";
import { type Client, startServer, type TestServer } from "../test/server.ts";
import { pathOf, sendPart, tryUpload, upload } from "../test/uploads.ts";
import { collectFiles } from "./collect.ts";
import { fileWork } from "./depot.ts";
import { FolderStore } from "./folder-store.ts";
import { openStore, type Store } from "./store.ts";

const MIB = 1_048_576;
const PART = 4 * MIB;

test("files are uploaded to a folder and to an S3-compatible store", async (t) => {
  await using folder = await temporaryFolder();
  await using s3 = await startS3(folder.path);
  using inS3 = await openStore(readConfig(s3.settings));
  using inFolder = new FolderStore(folder.path);
  for (const [name, store] of [
    ["a folder", inFolder],
    ["S3", inS3],
  ] as const) {
    await using lectern = await startServer({ files: { store } });
    await t.test(`in ${name} an upload resumes after it was cut off at each part`, () =>
      resumes(lectern, store),
    );
    await t.test(`in ${name} the same bytes lie once, and are removed with the last file that has them`, () =>
      sharesBytes(lectern, store),
    );
  }
});

async function resumes(lectern: TestServer, store: Store): Promise<void> {
  const { acme } = lectern;
  const bytes = videoOf(2 * PART + 1000);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const begun = await acme.post("/api/v2/uploads", { name: "tour.mp4", size: bytes.length, sha256 });
  assert.equal(begun.status, 201);
  const { id, created_at } = begun.body;
  const state = { resource_type: "upload", name: "tour.mp4", size: bytes.length, part_size: PART, parts: 3 };
  assert.deepEqual(begun.body, { id, ...state, sha256, arrived: [], file_id: null, created_at });
  for (const number of [1, 2, 3]) {
    const part = bytes.subarray((number - 1) * PART, number * PART);
    await sendHalf(lectern, { url: `/api/v2/uploads/${id}/parts/${number}`, bytes: part });
    const lying = await settles(store, acme, number - 1);
    assert.equal(lying.length, number - 1, "what was cut off has left nothing");
    const early = await acme.post(`/api/v2/uploads/${id}/complete`);
    assert.deepEqual([early.status, early.body.missing], [409, [1, 2, 3].slice(number - 1)]);
    const sent = await sendPart(acme, { id, number, bytes: part });
    assert.deepEqual([sent.status, sent.body.arrived], [200, [1, 2, 3].slice(0, number)]);
  }
  const made = await acme.post(`/api/v2/uploads/${id}/complete`);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.deepEqual(
    [made.body.sha256, made.body.size, made.body.media_type],
    [sha256, bytes.length, "video/mp4"],
  );
  const whole = await lectern.app.inject(pathOf(made.body.url));
  assert.ok(whole.rawPayload.equals(bytes));
  for (const [start, end] of [
    [1, 1],
    [PART - 1, PART + 1],
    [PART - 5, 2 * PART + 5],
    [2 * PART, 2 * PART + 999],
  ] as const) {
    const headers = { range: `bytes=${start}-${end}` };
    const piece = await lectern.app.inject({ url: pathOf(made.body.url), headers });
    assert.equal(piece.statusCode, 206);
    assert.ok(piece.rawPayload.equals(bytes.subarray(start, end + 1)), headers.range);
  }
}

async function sharesBytes(lectern: TestServer, store: Store): Promise<void> {
  const { acme, globex } = lectern;
  const bytes = Buffer.from("WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n");
  const before = await store.list(`${acme.company.id}/`);
  const one = await upload(acme, { name: "hello.vtt", bytes });
  const other = await upload(acme, { name: "again.vtt", bytes });
  assert.equal((await store.list(`${acme.company.id}/`)).length, before.length + 1);
  await upload(globex, { name: "hello.vtt", bytes });
  assert.equal((await store.list(`${globex.company.id}/`)).length, 1, "another company's bytes are its own");
  assert.equal((await acme.delete(`/api/v2/files/${one.id}`)).status, 200);
  const shown = await lectern.app.inject(pathOf(other.url));
  assert.ok(shown.rawPayload.equals(bytes));
  assert.equal((await lectern.app.inject(pathOf(one.url))).statusCode, 404);
  await acme.delete(`/api/v2/files/${other.id}`);
  await collectFiles(
    fileWork(lectern.files, lectern.database, { company: acme.company, actor: commandActor }),
  );
  assert.deepEqual(await store.list(`${acme.company.id}/`), before);
}

test("what an upload may be", async (t) => {
  await using lectern = await startServer({ files: { mostFileBytes: 3 * PART, quotaBytes: 4 * PART } });
  await t.test("a part of another length is refused, and one that comes again replaces the first", () =>
    takesWholeParts(lectern),
  );
  await t.test("bytes with another SHA-256 than announced can be sent again", () => checksTheHash(lectern));
  await t.test("completed by several at once it becomes one file", () => completesOnce(lectern));
  await t.test("a company's files have room together, and an upload keeps its own free", () =>
    keepsTheQuota(lectern),
  );
  await t.test("a learner uploads answers, and sees no upload or file of others", () =>
    keepsPeopleApart(lectern),
  );
  await t.test("who begins more uploads than a person does has to end some", () =>
    boundsOpenUploads(lectern),
  );
});

async function takesWholeParts(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const { id } = (await acme.post("/api/v2/uploads", { name: "a.txt", size: PART + 5 })).body;
  const [short, long] = [Buffer.alloc(4, "x"), Buffer.alloc(6, "x")];
  for (const [number, bytes, why] of [
    [2, short, "This part has to have 5 bytes, but 4 bytes came and not 5"],
    [2, long, "This part has to have 5 bytes, but 6 bytes came and not 5"],
    [3, short, "part is more than the 2 parts of this upload"],
  ] as const) {
    const { status, body } = await sendPart(acme, { id, number, bytes });
    assert.deepEqual([status, body.detail], [422, why]);
  }
  const json = await acme.put(`/api/v2/uploads/${id}/parts/2`, { bytes: "x" });
  assert.equal(json.status, 422);
  assert.equal((await sendPart(acme, { id, number: 0, bytes: short })).status, 422);
  assert.deepEqual((await acme.get(`/api/v2/uploads/${id}`)).body.arrived, []);
  await sendPart(acme, { id, number: 1, bytes: Buffer.alloc(PART, "a") });
  await sendPart(acme, { id, number: 2, bytes: Buffer.from("first") });
  await sendPart(acme, { id, number: 2, bytes: Buffer.from("again") });
  const { body: file } = await acme.post(`/api/v2/uploads/${id}/complete`);
  const end = await lectern.app.inject({ url: pathOf(file.url), headers: { range: "bytes=-6" } });
  assert.equal(end.body, "aagain");
  assert.deepEqual(
    (await acme.post(`/api/v2/uploads/${id}/complete`)).body,
    file,
    "completing twice is completing",
  );
  const late = await sendPart(acme, { id, number: 2, bytes: Buffer.from("later") });
  assert.deepEqual(
    [late.status, late.body.detail],
    [409, `This upload is complete: it has become file ${file.id}`],
  );
  assert.equal((await acme.get(`/api/v2/uploads/${id}`)).body.file_id, file.id);
  await acme.delete(`/api/v2/files/${file.id}`);
}

async function checksTheHash({ acme }: TestServer): Promise<void> {
  const right = Buffer.from("right");
  const sha256 = createHash("sha256").update(right).digest("hex");
  const { id } = (await acme.post("/api/v2/uploads", { name: "a.txt", size: 5, sha256 })).body;
  await sendPart(acme, { id, number: 1, bytes: Buffer.from("wrong") });
  const refused = await acme.post(`/api/v2/uploads/${id}/complete`);
  assert.equal(refused.status, 409);
  assert.match(refused.body.detail, /another SHA-256/);
  await sendPart(acme, { id, number: 1, bytes: right });
  assert.equal((await acme.post(`/api/v2/uploads/${id}/complete`)).body.sha256, sha256);
}

async function completesOnce({ acme }: TestServer): Promise<void> {
  const { id } = (await acme.post("/api/v2/uploads", { name: "once.txt", size: 4 })).body;
  await sendPart(acme, { id, number: 1, bytes: Buffer.from("once") });
  const before = (await acme.get("/api/v2/files")).body.data.length;
  const complete = () =>
    acme.request({
      method: "POST",
      url: `/api/v2/uploads/${id}/complete`,
      headers: { "idempotency-key": "only once" },
    });
  const answers = await Promise.all([complete(), complete(), complete()]);
  assert.ok(answers.some(({ status }) => status === 201));
  assert.ok(answers.every(({ status }) => status === 201 || status === 409));
  const again = await complete();
  assert.deepEqual([again.status, again.body], [201, answers.find(({ status }) => status === 201)?.body]);
  assert.equal((await acme.get("/api/v2/files")).body.data.length, before + 1);
}

async function keepsTheQuota(lectern: TestServer): Promise<void> {
  const { globex } = lectern;
  const begin = (size: number) => globex.post("/api/v2/uploads", { name: "a.txt", size });
  const large = await begin(3 * PART + 1);
  assert.equal(large.status, 422);
  assert.equal(large.body.errors[0].pointer, "/size");
  const first = await begin(3 * PART);
  assert.deepEqual([first.status, (await begin(PART + 1)).status], [201, 409]);
  assert.equal(await bytesOf(lectern, globex), 3 * PART);
  assert.deepEqual((await globex.delete(`/api/v2/uploads/${first.body.id}`)).body, { id: first.body.id });
  assert.equal((await globex.get(`/api/v2/uploads/${first.body.id}`)).status, 404);
  assert.equal(await bytesOf(lectern, globex), 0);
  const text = Buffer.from("Some text");
  await upload(globex, { name: "a.txt", bytes: text });
  await upload(globex, { name: "b.txt", bytes: text });
  assert.equal(await bytesOf(lectern, globex), text.length, "the same bytes count once");
}

async function keepsPeopleApart(lectern: TestServer): Promise<void> {
  const { acme, globex } = lectern;
  const [one, other] = [await signIn(lectern, acme), await signIn(lectern, acme, { role: "creator" })];
  const manager = await signIn(lectern, acme, { role: "manager" });
  const file = await upload(one, { name: "answer.txt", bytes: Buffer.from("My answer") });
  const { id } = (await one.post("/api/v2/uploads", { name: "b.txt", size: 5 })).body;
  assert.equal(file.created_by_user_id, one.user_id);
  for (const stranger of [other, manager, globex]) {
    for (const url of [`/api/v2/files/${file.id}`, `/api/v2/uploads/${id}`]) {
      assert.equal((await stranger.get(url)).status, 404);
      assert.equal((await stranger.delete(url)).status, 404);
    }
    assert.equal((await sendPart(stranger, { id, number: 1, bytes: Buffer.from("12345") })).status, 404);
    assert.equal((await stranger.post(`/api/v2/uploads/${id}/complete`)).status, 404);
  }
  assert.deepEqual((await other.get("/api/v2/files")).body, { data: [], next: null });
  assert.deepEqual((await one.get("/api/v2/files")).body, { data: [file], next: null });
  assert.deepEqual((await acme.get(`/api/v2/files/${file.id}`)).body, file, "an administrator sees all");
  await one.delete(`/api/v2/uploads/${id}`);
}

async function boundsOpenUploads(lectern: TestServer): Promise<void> {
  const person = await signIn(lectern, lectern.acme);
  const ids: number[] = [];
  for (let count = 0; count < 20; count += 1) {
    ids.push((await person.post("/api/v2/uploads", { name: "a.txt", size: 1 })).body.id);
  }
  const more = await person.post("/api/v2/uploads", { name: "a.txt", size: 1 });
  assert.equal(more.status, 409);
  await person.delete(`/api/v2/uploads/${ids[0]}`);
  assert.equal((await tryUpload(person, { name: "a.txt", bytes: Buffer.from("a") })).status, 201);
}

/** Bytes that begin as an MP4 does. */
function videoOf(size: number): Buffer {
  const bytes = randomBytes(size);
  bytes.write("\0\0\0\x18ftypisom\0\0\x02\0isomiso2", "latin1");
  return bytes;
}

/** What the company's files take, as it is counted. */
async function bytesOf({ database }: TestServer, { company }: Client): Promise<number> {
  const { total } = await database.read(company, (tx) =>
    tx.sql
      .selectFrom("counters")
      .select("total")
      .where("company_id", "=", company.id)
      .where("kind", "=", "file_bytes")
      .executeTakeFirstOrThrow(),
  );
  return total;
}

/** Begins to send a part, and hangs up in the middle. */
async function sendHalf(
  { app, acme }: TestServer,
  { url, bytes }: { readonly url: string; readonly bytes: Buffer },
): Promise<void> {
  if (!app.server.listening) await app.listen({ host: "127.0.0.1", port: 0 });
  const address = app.server.address();
  const socket = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    `PUT ${url} HTTP/1.1\r\nHost: lectern\r\nAuthorization: ${acme.authorization}\r\n` +
      `Content-Type: application/octet-stream\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  );
  await new Promise((resolve) => socket.write(bytes.subarray(0, bytes.length / 2), resolve));
  await sleep(50);
  socket.destroy();
}

/** Waits until so many parts lie in the store, as a server takes a moment to see that a client is gone. */
async function settles(store: Store, { company }: Client, parts: number): Promise<string[]> {
  let keys: string[] = [];
  await until(`${parts} parts`, async () => {
    keys = await store.list(`${company.id}/`);
    return keys.length === parts;
  });
  return keys;
}
