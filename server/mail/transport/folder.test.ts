import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { letterWith } from "../../test/letters.ts";
import { readMail } from "../../test/read-mail.ts";
import { makeTransport } from "./transport.ts";

const nothing = () => Promise.resolve();

async function temporaryFolder() {
  const root = await mkdtemp(join(tmpdir(), "lectern-mail-"));
  return { folder: join(root, "data", "mail"), [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

test("without a mail server, each mail is one file that only its owner can read", async () => {
  await using place = await temporaryFolder();
  const { folder } = place;
  const name = "2026-11-21T09-00-00Z-assigned.7.41@lectern.example.com-dea57b4e.eml";
  {
    await using transport = makeTransport({ folder });
    const outcome = await transport.send(letterWith(), async () =>
      assert.deepEqual(await readdir(folder), []),
    );
    assert.deepEqual(outcome, { kind: "sent", answer: `Written to ${name}.` });
    const again = { kind: "sent", answer: "This mail was in the folder already." };
    assert.deepEqual(await transport.send(letterWith(), nothing), again);
  }
  await using restarted = makeTransport({ folder });
  const later = letterWith({
    date: new Date("2026-11-22T09:00:00.000Z"),
    message_id: "assigned.7.41@lectern.example.com",
  });
  const both = await Promise.all([restarted.send(later, nothing), restarted.send(later, nothing)]);
  assert.deepEqual(
    both.map(({ kind }) => kind),
    ["sent", "sent"],
  );
  assert.deepEqual(await readdir(folder), [name]);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
  const mail = readMail(await readFile(join(folder, name), "utf8"));
  assert.equal(new Map(mail.headers).get("to"), "Ada Lovelace <ada@example.com>");
  assert.equal(mail.text, letterWith().text.replaceAll("\n", "\r\n"));
});

test("a Message-ID never leaves the folder, and two of them never share a file", async () => {
  await using place = await temporaryFolder();
  await using transport = makeTransport({ folder: place.folder });
  const ids = [
    "../../../etc/x@h",
    "..%2f..%2fx@h",
    "a/b@h",
    "a|b@h",
    `${"x".repeat(300)}@h`,
    `${"x".repeat(301)}@h`,
  ];
  for (const message_id of ids)
    assert.equal((await transport.send(letterWith({ message_id }), nothing)).kind, "sent", message_id);
  const names = await readdir(place.folder);
  assert.equal(names.length, 6);
  for (const name of names) assert.match(name, /^2026-11-21T09-00-00Z-[\w.@+-]{3,80}-[0-9a-f]{8}\.eml$/);
});

test("a folder that can't be written, and a commit that fails, leave no file", async () => {
  await using place = await temporaryFolder();
  await using transport = makeTransport({ folder: place.folder });
  await assert.rejects(
    transport.send(letterWith(), () => Promise.reject(new Error("the database is gone"))),
    /gone/,
  );
  assert.deepEqual(await readdir(place.folder), []);
  assert.equal((await transport.send(letterWith(), nothing)).kind, "sent");
  await writeFile(join(place.folder, "a-file"), "");
  await using astray = makeTransport({ folder: join(place.folder, "a-file", "mail") });
  const outcome = await astray.send(letterWith(), () => assert.fail("committed"));
  assert.equal(outcome.kind, "try_again");
  assert.match(
    outcome.kind === "try_again" ? outcome.reason : "",
    /^The folder for mails can't be written: ENOTDIR/,
  );
});
