import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { EICAR, startClamd } from "../test/clamd.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { pathOf, sendPart, tryUpload, upload } from "../test/uploads.ts";

test("what people upload is not what they say", async (t) => {
  await using lectern = await startServer();
  await t.test("a picture loses all that is not picture", () => rewritesPictures(lectern));
  await t.test("what only looks like a picture, or would fill the memory, is refused", () =>
    refusesPictures(lectern),
  );
  await t.test("HTML and SVG are downloads, whatever they are called", () => disarmsMarkup(lectern));
  await t.test("a name says what a file is", () => namesFiles(lectern));
  await t.test("programs and what is no text are refused, and nothing of them stays", () =>
    refusesPrograms(lectern),
  );
});

const SCRIPT = "<script>alert(document.domain)</script>";

async function rewritesPictures(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const base = sharp({ create: { width: 400, height: 300, channels: 3, background: "#123456" } });
  const turned = await base.clone().jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const moving = await sharp(
    [await base.clone().gif().toBuffer(), await base.clone().negate().gif().toBuffer()],
    {
      join: { animated: true },
    },
  )
    .gif()
    .toBuffer();
  const withExif = { IFD0: { Copyright: SCRIPT, Artist: "At home, 52.5 N 13.4 E" } };
  const png = await base.clone().withExif(withExif).png().toBuffer();
  for (const [name, bytes, media_type, size] of [
    ["page.png", Buffer.concat([png, Buffer.from(`<html>${SCRIPT}</html>`)]), "image/png", [400, 300]],
    [
      "script.gif",
      Buffer.concat([moving, Buffer.from("*/=1;alert(document.domain)")]),
      "image/gif",
      [400, 300],
    ],
    ["camera.jpg", turned, "image/jpeg", [300, 400]],
    ["photo.webp", await base.clone().withExif(withExif).webp().toBuffer(), "image/webp", [400, 300]],
    ["photo.avif", await base.clone().avif({ effort: 0 }).toBuffer(), "image/webp", [400, 300]],
  ] as const) {
    const file = await upload(acme, { name, bytes });
    assert.deepEqual(
      [file.kind, file.media_type, file.width, file.height],
      ["image", media_type, ...size],
      name,
    );
    assert.deepEqual(
      file.sizes.map(({ width }: { width: number }) => width),
      size[0] > 320 && name !== "script.gif" ? [320] : [],
    );
    const { rawPayload, headers } = await lectern.app.inject(pathOf(file.url));
    assert.ok(headers["content-disposition"]?.toString().startsWith("inline; "));
    assert.ok(!/alert|Copyright|home/.test(rawPayload.toString("latin1")), name);
    const { exif, orientation, pages } = await sharp(rawPayload).metadata();
    assert.deepEqual(
      [exif, orientation, pages],
      [undefined, undefined, name === "script.gif" ? 2 : undefined],
      name,
    );
  }
}

async function refusesPictures({ acme }: TestServer): Promise<void> {
  const png = await sharp({ create: { width: 50, height: 50, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  for (const [bytes, why] of [
    [Buffer.from("GIF89a=1;alert(document.domain)"), /is broken/],
    [png.subarray(0, png.length - 30), /is broken/],
    [pngOf(60_000, 60_000), /more than 50 million pixels/],
    [pngOf(17_000, 10), /wider or higher than 16383 pixels/],
  ] as const) {
    const refused = await tryUpload(acme, { name: "picture.png", bytes });
    assert.equal(refused.status, 422);
    assert.match(refused.body.detail, why);
  }
}

/** A PNG that says how large it is, and has no more than a few bytes. */
function pngOf(width: number, height: number): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const chunks = [
    ["IHDR", head],
    ["IDAT", deflateSync(Buffer.alloc(1_000))],
    ["IEND", Buffer.alloc(0)],
  ] as const;
  const parts = chunks.map(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
  });
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

async function disarmsMarkup(lectern: TestServer): Promise<void> {
  for (const [name, text, stored] of [
    ["page.html", `<!doctype html>${SCRIPT}`, "page.html"],
    ["drawing.svg", `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`, "drawing.svg"],
    ["drawing.png", `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`, "drawing.png.svg"],
    ["notes.txt", `Some words, and then ${SCRIPT}`, "notes.txt.html"],
  ] as const) {
    const file = await upload(lectern.acme, { name, bytes: Buffer.from(text) });
    assert.deepEqual(
      [file.kind, file.media_type, file.name],
      ["download", "application/octet-stream", stored],
    );
    const { body, headers } = await lectern.app.inject(pathOf(file.url));
    assert.equal(body, text);
    assert.equal(headers["content-type"], "application/octet-stream");
    assert.equal(
      headers["content-disposition"],
      `attachment; filename="${stored}"; filename*=UTF-8''${stored}`,
    );
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["content-security-policy"], "default-src 'none'; sandbox");
  }
}

async function namesFiles({ acme }: TestServer): Promise<void> {
  const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  for (const [name, bytes, stored, media_type] of [
    ["list.csv", Buffer.from("a;b\n1;2\n"), "list.csv", "text/csv"],
    ["list.exe", Buffer.from("a;b\n1;2\n"), "list.exe.txt", "text/plain"],
    ["Größe.PDF", Buffer.from("%PDF-1.7\n%âãÏÓ\n"), "Größe.PDF", "application/pdf"],
    ["picture.png", zipOf("hello.txt", "Hello"), "picture.png.zip", "application/zip"],
    [
      "letter.docx",
      zipOf("[Content_Types].xml", `<Override ContentType="${word}.main+xml"/>`),
      "letter.docx",
      word,
    ],
  ] as const) {
    const file = await upload(acme, { name, bytes });
    assert.deepEqual([file.name, file.media_type, file.kind], [stored, media_type, "document"]);
  }
  for (const name of ["", " ", "..", "a/b.txt", "a\\b.txt", "a\n.txt", "x".repeat(256)]) {
    const refused = await acme.post("/api/v2/uploads", { name, size: 1 });
    assert.deepEqual(
      [refused.status, refused.body.errors?.[0]?.pointer],
      [422, "/name"],
      JSON.stringify(name),
    );
  }
}

/** A ZIP of one file, not compressed. */
function zipOf(name: string, text: string): Buffer {
  const data = Buffer.from(text);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt32LE(crc32(data), 14);
  head.writeUInt32LE(data.length, 18);
  head.writeUInt32LE(data.length, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name), data]);
}

async function refusesPrograms({ acme }: TestServer): Promise<void> {
  for (const bytes of [
    Buffer.from("MZ\x90\0\x03\0\0\0", "latin1"),
    Buffer.from("\x7fELF\x02\x01\x01\0", "latin1"),
    Buffer.from("text\0with a zero"),
    Buffer.from([0xff, 0xfe, 0x3c, 0, 0x68, 0]),
    Buffer.concat([Buffer.alloc(300_000, "a"), Buffer.from([0xc3, 0x28])]),
  ]) {
    const begun = await acme.post("/api/v2/uploads", { name: "readme.txt", size: bytes.length });
    const { id } = begun.body;
    await sendPart(acme, { id, number: 1, bytes });
    const refused = await acme.post(`/api/v2/uploads/${id}/complete`);
    assert.equal(refused.status, 422);
    assert.match(refused.body.detail, /^This is no file that can be uploaded: pictures \(PNG/);
    assert.equal((await acme.get(`/api/v2/uploads/${id}`)).status, 404);
  }
}

test("every file is shown to the virus scanner, and none passes while it is away", async () => {
  await using clamd = await startClamd();
  await using lectern = await startServer({ files: { clamdAddress: clamd.address } });
  const { acme } = lectern;
  const infected = await tryUpload(acme, { name: "a.txt", bytes: Buffer.from(`${EICAR}\n`) });
  assert.equal(infected.status, 422);
  assert.equal(infected.body.detail, "The virus scanner found Eicar-Test-Signature in this file");
  assert.deepEqual((await acme.get("/api/v2/files")).body.data, []);
  const large = Buffer.alloc(5_000_000, "clean ");
  assert.equal((await upload(acme, { name: "clean.txt", bytes: large })).size, large.length);
  const { id } = (await acme.post("/api/v2/uploads", { name: "later.txt", size: 5 })).body;
  await sendPart(acme, { id, number: 1, bytes: Buffer.from("later") });
  for (const behaviour of ["hang up", "refuse large files"] as const) {
    clamd.behave(behaviour);
    const away = await acme.post(`/api/v2/uploads/${id}/complete`);
    assert.deepEqual([away.status, away.headers["retry-after"]], [503, "30"]);
  }
  clamd.behave("scan");
  assert.equal((await acme.post(`/api/v2/uploads/${id}/complete`)).body.name, "later.txt");
});
