import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type Client, startServer } from "../test/server.ts";

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

test("no body, an empty one and an empty text are the same", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const bodies = [
    [JSON_TYPE, ""],
    [JSON_TYPE, '""'],
    [JSON_TYPE, ' \r\n""\t'],
    [JSON_TYPE, "null"],
    [JSON_TYPE, "{}"],
    [FORM_TYPE, ""],
    ["text/plain", ""],
  ] as const;
  for (const [type, body] of bodies) {
    const updated = await send(acme, { type, body });
    assert.deepEqual([type, body, updated.status], [type, body, 200]);
    const made = await send(acme, { type, body, method: "POST", url: "/api/v1/groups" });
    assert.deepEqual(made.body.errors, [{ field: "name", message: "is required" }]);
    assert.equal((await send(acme, { type, body, url: "/api/v1/users/1/restore" })).status, 200);
    assert.equal((await send(acme, { type, body, method: "GET" })).status, 200);
  }
  assert.equal((await acme.put("/api/v1/users/1")).status, 200);
});

test("a body is JSON or a form, whatever the parameters of its type", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const accepted = [
    [JSON_TYPE, '{"job_title":"A"}'],
    ["application/json; charset=utf-8", '{"job_title":"A"}'],
    ["Application/JSON;charset=UTF-8", '{"job_title":"A"}'],
    [FORM_TYPE, "job_title=A"],
    ["application/x-www-form-urlencoded; charset=UTF-8", "job_title=A"],
  ] as const;
  for (const [type, body] of accepted) {
    const answer = await send(acme, { type, body });
    assert.deepEqual([type, answer.status, answer.body.job_title], [type, 200, "A"]);
    await acme.put("/api/v1/users/1", { job_title: null });
  }
  const types = [
    "text/plain",
    "text/json",
    "application/xml",
    "multipart/form-data; boundary=x",
    "nonsense",
    "",
    "*",
  ];
  for (const type of types) {
    const refused = await send(acme, { type, body: '{"job_title":"A"}' });
    assert.deepEqual([type, refused.status], [type, 400]);
    assert.equal(
      refused.body.message,
      "The body must be application/json or application/x-www-form-urlencoded",
    );
    assert.equal((await send(acme, { type, body: "x", method: "DELETE" })).status, 400);
  }
  assert.equal((await acme.get("/api/v1/users/1")).body.job_title, null);
});

test("a body that can't be read is refused, also where nothing is read from it", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const cases = [
    [JSON_TYPE, "{", "The body is not JSON"],
    [JSON_TYPE, "{'name': 1}", "The body is not JSON"],
    [JSON_TYPE, '{"name":NaN}', "The body is not JSON"],
    [JSON_TYPE, '{"name":"A"} x', "The body is not JSON"],
    [JSON_TYPE, '{"name":"A\nB"}', "The body is not JSON"],
    [JSON_TYPE, "name=A", "The body is not JSON"],
    [JSON_TYPE, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "The body is not UTF-8"],
    [JSON_TYPE, Buffer.from('{"name":"A"}', "utf16le"), "The body is not JSON"],
    [JSON_TYPE, "[".repeat(1_000_000), "The body is not JSON"],
    [FORM_TYPE, "name=%zz", "The form can't be read: the form is not percent-encoded UTF-8"],
    [FORM_TYPE, "name=%ff", "The form can't be read: the form is not percent-encoded UTF-8"],
    [FORM_TYPE, Buffer.from([0x61, 0x3d, 0xff]), "The body is not UTF-8"],
    [FORM_TYPE, "a[=1", "The form can't be read: the brackets of a name don't match"],
    [FORM_TYPE, "a=1&a[b]=2", "The form can't be read: a is used for a value and an object"],
  ] as const;
  for (const [type, body, message] of cases) {
    for (const url of ["/api/v1/users/1", "/api/v1/users/1/archive"]) {
      const refused = await send(acme, { type, body, url });
      assert.deepEqual([refused.status, refused.body.message, refused.body.errors], [400, message, []]);
    }
  }
  assert.equal((await acme.get("/api/v1/users/1")).body.archived_at, null);
});

test("a body that is no object is refused", async () => {
  await using lectern = await startServer();
  for (const body of [
    "[]",
    "[{}]",
    "1",
    "true",
    '"name"',
    "-0.0",
    `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
  ]) {
    const refused = await send(lectern.acme, { type: JSON_TYPE, body });
    assert.deepEqual(refused.body.errors, [{ field: "body", message: "must be an object" }]);
  }
});

test("a body may have a mebibyte, and no more", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const fits = await send(acme, { type: JSON_TYPE, body: whole(1_048_576) });
  assert.equal(fits.status, 200);
  for (const [type, body] of [
    [JSON_TYPE, whole(1_048_577)] as const,
    [FORM_TYPE, "x".repeat(2_000_000)] as const,
  ]) {
    const refused = await send(acme, { type, body });
    assert.equal(refused.status, 400);
    assert.equal(refused.body.message, "The body is larger than 1 MiB");
  }
});

test("of a key that is given twice the last counts", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const json = await send(acme, { type: JSON_TYPE, body: '{"job_title":"A","job_title":"B"}' });
  assert.equal(json.body.job_title, "B");
  const form = await send(acme, { type: FORM_TYPE, body: "job_title=C&job_title=D" });
  assert.equal(form.body.job_title, "D");
});

test("names of the language's own change nothing", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const bodies = [
    [JSON_TYPE, '{"__proto__":{"name":"A","archived_at":"x"},"constructor":{"prototype":{"name":"B"}}}'],
    [JSON_TYPE, '{"\\u005f_proto__":{"name":"A"},"toString":1,"hasOwnProperty":null}'],
    [JSON_TYPE, `${'{"__proto__":'.repeat(10_000)}1${"}".repeat(10_000)}`],
    [FORM_TYPE, "__proto__[name]=A&constructor[prototype][name]=B&toString=1"],
  ] as const;
  const { body: before } = await acme.get("/api/v1/users/1");
  for (const [type, body] of bodies) {
    const answer = await send(acme, { type, body });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, { ...before, type: "update_user" });
  }
  assert.equal("name" in {}, false);
  const made = await send(acme, {
    type: JSON_TYPE,
    method: "POST",
    url: "/api/v1/groups",
    body: '{"__proto__":{"name":"A"}}',
  });
  assert.deepEqual(made.body.errors, [{ field: "name", message: "is required" }]);
});

test("nesting of any depth is refused or ignored, never followed", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const cases = [
    [`{"name":${deep("[", "]")}}`, "name", "must be a string"],
    [`{"name":${deep('{"name":', "}")}}`, "name", "must be a string"],
    [`{"custom_user_fields":${deep("[", "]")}}`, "custom_user_fields[0]", "must be an object"],
    [`{"custom_user_fields":[${deep('{"value":', "}")}]}`, "custom_user_fields[0].value", "must be a string"],
  ] as const;
  for (const [body, field, message] of cases) {
    assert.deepEqual((await send(acme, { type: JSON_TYPE, body })).body.errors, [{ field, message }]);
  }
  assert.equal(
    (await send(acme, { type: JSON_TYPE, body: `{"unknown":${deep('{"a":[', "]}")}}` })).status,
    200,
  );
});

test("a text that can't be stored is refused wherever it stands", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const message = "holds a character that no text has (NUL or half of a pair)";
  for (const text of ["\\u0000", "a\\u0000b", "\\ud800", "\\udc00\\ud800", "x\\udfff"]) {
    const body = `{"job_title":"${text}","custom_user_fields":[{"name":"${text}","value":"${text}"}],"unknown":"${text}"}`;
    const refused = await send(acme, { type: JSON_TYPE, body });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      { field: "job_title", message },
      { field: "custom_user_fields[0].name", message },
      { field: "custom_user_fields[0].value", message },
    ]);
  }
  const inForm = await send(acme, { type: FORM_TYPE, body: "location=%00&job_title=A" });
  assert.deepEqual(inForm.body.errors, [{ field: "location", message }]);
  const paired = await send(acme, {
    type: JSON_TYPE,
    body: '{"job_title":"\\ud83c\\udf93 \\u0001 \\uffff"}',
  });
  assert.equal(paired.body.job_title, "🎓 \u0001 \uffff");
});

test("a text that is exactly a number or a boolean counts as one where one is expected", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await acme.post("/api/v1/groups", { name: "Sales" });
  for (const id of ["1", 1, "1 ", " 1", "1.0", "+1", "01", "1e0", "0x1", "", true, "true", "١"]) {
    const answer = await acme.put("/api/v1/users/1/groups", { memberships: [{ id }] });
    assert.deepEqual([id, answer.status], [id, id === "1" || id === 1 ? 200 : 400]);
  }
  for (const [remove, status] of [
    ["true", 200],
    ["false", 200],
    [true, 200],
    ["TRUE", 400],
    ["1", 400],
    [1, 400],
    ["", 400],
  ] as const) {
    const answer = await acme.put("/api/v1/users/1/groups", { memberships: [{ id: 1, remove }] });
    assert.deepEqual([remove, answer.status], [remove, status]);
  }
  const texts = await acme.put("/api/v1/users/1", { job_title: "5", location: "true", department: "null" });
  assert.deepEqual([texts.body.job_title, texts.body.location, texts.body.department], ["5", "true", "null"]);
  const { body } = await acme.put("/api/v1/users/1", { job_title: 5, location: true, department: {} });
  assert.deepEqual(body.errors, [
    { field: "job_title", message: "must be a string" },
    { field: "department", message: "must be a string" },
    { field: "location", message: "must be a string" },
  ]);
});

test("thousands of wrong elements are told of the first hundred", async () => {
  await using lectern = await startServer();
  const elements = Array.from({ length: 10_000 }, () => 0);
  const refused = await lectern.acme.put("/api/v1/users/1/groups", { memberships: elements });
  assert.equal(refused.status, 400);
  assert.equal(refused.body.errors.length, 100);
  assert.deepEqual(refused.body.errors[99], { field: "memberships[99]", message: "must be an object" });
  assert.match(refused.body.message, /; memberships\[99\] must be an object; and 9900 more$/);
  const body = `{"memberships":[${"0,".repeat(500_000)}0]}`;
  const tooMany = await send(lectern.acme, { type: JSON_TYPE, url: "/api/v1/users/1/groups", body });
  assert.deepEqual(tooMany.body.errors, [
    { field: "memberships", message: "can have at most 10000 elements" },
  ]);
});

/** A body of so many bytes. */
function whole(size: number): string {
  return `{"unknown":"${"x".repeat(size - 14)}"}`;
}

function deep(open: string, close: string): string {
  return `${open.repeat(10_000)}1${close.repeat(10_000)}`;
}

interface Sent {
  readonly type: string;
  readonly body: string | Buffer;
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly url?: string;
}

async function send(
  client: Client,
  { type, body, method = "PUT", url = "/api/v1/users/1" }: Sent,
): Promise<Answer> {
  return client.request({ method, url, headers: { "content-type": type }, payload: body });
}
