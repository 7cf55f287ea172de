import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser } from "../test/people.ts";
import { type Client, startServer } from "../test/server.ts";

test("what is wrong first is told first", async () => {
  await using lectern = await startServer();
  const { acme, maintenance } = lectern;
  const small = await lectern.addCompany({ subdomain: "small", requests_per_minute: 1 });
  await small.get("/api/v1/ping");
  const nobody = { authorization: "Basic bm8=" };
  const xml = { accept: "application/xml" };
  const badBody = { "content-type": "application/json" };
  const url = "/api/v1/users/0";
  const payload = "{";
  assert.equal((await acme.request({ url: "/api/v1/nowhere", headers: { ...nobody, ...xml } })).status, 406);
  assert.equal((await acme.request({ url: "/api/v1/nowhere", headers: nobody })).status, 401);
  assert.equal((await small.get("/api/v1/nowhere")).body.error, "Rate Limit Exceeded");
  const lost = { url: "/api/v1/nowhere", headers: badBody, payload } as const;
  assert.equal((await acme.request({ method: "PUT", ...lost })).status, 404);
  assert.equal((await acme.request({ method: "POST", url, headers: badBody, payload })).status, 405);
  assert.equal((await acme.request({ method: "PUT", url, headers: badBody, payload })).status, 400);
  assert.equal((await acme.put("/api/v1/users/0", { name: 5 })).body.errors[0].field, "user_id");
  assert.equal((await acme.put("/api/v1/users/99", { name: 5 })).status, 400);
  assert.equal((await acme.put("/api/v1/users/99", { name: "A" })).status, 404);
  maintenance.isOn = true;
  assert.equal((await acme.request({ url, headers: { ...nobody, ...xml } })).status, 503);
});

test("every error has one shape, and only a 400 tells of fields", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const cases = [
    [400, "Malformed Request", "user_id must be an integer", { url: "/api/v1/users/x" }],
    [
      401,
      "Unauthorized",
      "The subdomain or the API key is missing or wrong",
      { headers: { authorization: "" } },
    ],
    [404, "Not Found", "User not found", { url: "/api/v1/users/99" }],
    [404, "Not Found", "This address is not found", { url: "/api/v1/people" }],
    [405, "Method Not Allowed", "This address takes GET, HEAD, POST", { method: "DELETE" }],
    [
      406,
      "Not Acceptable",
      "Answers are JSON only: send Accept: application/json, or no Accept header",
      { headers: { accept: "text/html" } },
    ],
  ] as const;
  for (const [status, error, message, request] of cases) {
    const answer = await acme.request({ url: "/api/v1/users", ...request });
    assert.equal(answer.status, status);
    assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
    assert.deepEqual(answer.body, {
      type: "error",
      status,
      error,
      message,
      ...(status === 400 ? { errors: [{ field: "user_id", message: "must be an integer" }] } : {}),
      request_id: answer.headers["x-request-id"],
    });
  }
});

test("an error that nobody foresaw tells no more than a request id", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.write(acme, (tx) =>
    tx.sql.deleteFrom("counters").where("company_id", "=", tx.company.id).execute(),
  );
  const answer = await acme.post("/api/v1/groups", { name: "Sales" });
  assert.equal(answer.status, 500);
  assert.deepEqual(answer.body, {
    type: "error",
    status: 500,
    error: "Internal Server Error",
    message: "Something went wrong on our side: try again later, and name this request id if it stays",
    request_id: answer.headers["x-request-id"],
  });
});

test("answers are JSON, for who accepts JSON", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const accepted = [
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/json;q=0.5, text/html",
    "application/*",
    "*/*",
    "",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "*/*;q=0, application/json",
  ];
  for (const accept of accepted) {
    const answer = await acme.request({ url: "/api/v1/ping", headers: { accept } });
    assert.deepEqual([accept, answer.status], [accept, 200]);
    assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  }
  const refused = [
    "application/xml",
    "text/html",
    "text/*",
    "application/json;q=0",
    "application/json; q=0.000",
    "*/*;q=0",
    "application/json;q=0, */*",
    "application/vnd.api+json",
    "nonsense",
  ];
  for (const accept of refused) {
    const answer = await acme.request({ url: "/api/v1/ping", headers: { accept } });
    assert.deepEqual([accept, answer.status], [accept, 406]);
  }
});

test("an address may end in .json, and in no other format", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const { body: users } = await acme.get("/api/v1.1/users?per_page=1");
  assert.deepEqual((await acme.get("/api/v1.1/users.json?per_page=1")).body, users);
  assert.equal((await acme.get("/api/v1/users/1.json")).status, 200);
  assert.equal((await acme.put("/api/v1/users/1/archive.json")).status, 200);
  for (const url of [
    "/api/v1/users.xml",
    "/api/v1/users/1.csv",
    "/api/v1/users/1/archive.html",
    "/api/v1/no.txt",
  ]) {
    assert.deepEqual([url, (await acme.get(url)).status], [url, 406]);
    assert.equal((await acme.request({ url, headers: { authorization: "" } })).status, 406);
  }
  assert.equal((await acme.get("/api/v1/users/1.5")).status, 400);
  const document = await acme.request({ url: "/openapi.json", headers: { authorization: "" } });
  assert.equal(document.body.openapi, "3.1.0");
});

test("a wrong method is told which ones there are", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const cases = [
    ["PUT", "/api/v1/users", "GET, HEAD, POST"],
    ["PATCH", "/api/v1/users/1", "DELETE, GET, HEAD, PUT"],
    ["DELETE", "/api/v1/users/x/archive", "PUT"],
    ["GET", "/api/v1/company_settings", "PUT"],
    ["OPTIONS", "/api/v1/groups", "GET, HEAD, POST"],
    ["TRACE", "/api/v1.1/users", "GET, HEAD, POST"],
    ["DELETE", "/api/v1.1/users/1/archive.json?x=1", "PUT"],
  ] as const;
  for (const [method, url, allow] of cases) {
    const answer = await acme.request({ method, url });
    assert.deepEqual([url, answer.status, answer.headers["allow"]], [url, 405, allow]);
  }
  for (const url of [
    "/api",
    "/api/",
    "/api/v1",
    "/api/v1.2/users",
    "/api/v11/users",
    "/api/v1/users/1/nowhere",
  ]) {
    for (const method of ["GET", "PATCH"] as const) {
      assert.deepEqual([url, (await acme.request({ method, url })).status], [url, 404]);
    }
  }
});

test("HEAD answers as GET does, without the body", async () => {
  await using lectern = await startServer();
  const got = await lectern.acme.get("/api/v1/users");
  const head = await lectern.acme.request({ method: "HEAD", url: "/api/v1/users" });
  assert.equal(head.status, 200);
  assert.equal(head.body, undefined);
  assert.equal(head.headers["etag"], got.headers["etag"]);
});

test("operations that have no version 1.1 answer under it as version 1", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace");
  assert.deepEqual((await acme.get("/api/v1.1/users/2")).body, { ...grace, type: "user" });
  assert.deepEqual((await acme.get("/api/v1.1/groups")).body, { type: "groups", groups: [] });
  assert.equal((await acme.post("/api/v1.1/groups", { name: "Sales" })).status, 201);
  assert.equal((await acme.put("/api/v1.1/users/2/groups", { memberships: [{ id: 1 }] })).status, 200);
  assert.equal((await acme.get("/api/v1.1/groups/1/assignments.json")).status, 200);
  assert.equal(
    (await acme.post("/api/v1.1/users", { name: "A", email: "a@b.c", role: "learner" })).status,
    201,
  );
  assert.equal((await acme.delete("/api/v1.1/users/2")).status, 200);
  assert.ok("groups" in (await acme.get("/api/v1.1/users")).body.users[0]);
  assert.ok(!("groups" in (await acme.get("/api/v1/users")).body.users[0]));
});

test("one address can be written in several ways, and each passes the door", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const ways = [
    "/api/v1/users",
    "/api/v1/users/",
    "/%61pi/v1/users",
    "/api%2fv1/users",
    "/api/v1/%75sers",
    "/api/v1/users%2Ejson",
    "http://elsewhere.example/api/v1/users",
    "HTTPS://elsewhere.example:444/api/v1/users?page=1",
  ];
  const { body: users } = await acme.get("/api/v1/users");
  for (const url of ways) {
    const reserved = url.includes("%2f");
    const answer = await acme.get(url);
    assert.deepEqual([url, answer.status], [url, reserved ? 404 : 200]);
    if (!reserved) assert.deepEqual(answer.body, users);
    const stranger = await acme.request({ url, headers: { authorization: "" } });
    assert.deepEqual([url, stranger.status], [url, reserved ? 404 : 401]);
  }
  for (const url of ["/%61pi/v1/nowhere", "http://elsewhere.example/api/v1/nowhere", "/api"]) {
    assert.deepEqual([url, (await acme.request({ url, headers: { authorization: "" } })).status], [url, 401]);
  }
});

test("an address that names no company is not found, whatever it holds", async () => {
  await using lectern = await startServer();
  for (const name of ["nobody", "%00", "a%00b", "%F4%88%85%BE", "-", "a".repeat(5_000)]) {
    const url = `/api/v2/companies/${name}/unsubscribe?token=x`;
    const answer = await lectern.app.inject({ method: "POST", url });
    assert.deepEqual([answer.statusCode, answer.json().detail], [404, "Company not found"], name);
  }
});

test("an id in an address is a positive integer", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const wrong = [
    "0",
    "-1",
    "01",
    "1.5",
    "1e3",
    "0x1",
    "abc",
    "%00",
    "%zz",
    "%ff",
    "1%2F2",
    "%20",
    "+1",
    "null",
  ];
  for (const id of [...wrong, "9".repeat(15_000).replace("9", "x")]) {
    for (const rest of ["", "/archive", "/groups"]) {
      const answer = await acme.put(`/api/v1/users/${id}${rest}`);
      assert.deepEqual([id.slice(0, 20), answer.status], [id.slice(0, 20), 400]);
      assert.equal(answer.body.errors[0].field, "user_id");
    }
  }
  for (const id of ["99", "9007199254740991", "9007199254740993", "9223372036854775808", "9".repeat(400)]) {
    assert.deepEqual([id, (await acme.get(`/api/v1/users/${id}`)).body.message], [id, "User not found"]);
  }
  assert.equal((await acme.get("/api/v1/users/%31")).status, 200);
});

test("answers say how they may be kept, and who has the state already is told so", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const first = await acme.get("/api/v1/users/1");
  const etag = String(first.headers["etag"]);
  assert.match(etag, /^W\/"[\w-]{27}"$/);
  assert.equal(first.headers["cache-control"], "max-age=0, private, must-revalidate");
  assert.match(String(first.headers["x-runtime"]), /^\d+\.\d{6}$/);
  assert.match(String(first.headers["x-request-id"]), /^[\w-]+$/);
  for (const tag of [etag, etag.slice(2), `"x", ${etag}`, "*"]) {
    const again = await acme.request({ url: "/api/v1/users/1", headers: { "if-none-match": tag } });
    assert.deepEqual([again.status, again.body, again.headers["etag"]], [304, undefined, etag]);
  }
  await acme.put("/api/v1/users/1", { job_title: "Chief" });
  const changed = await acme.request({ url: "/api/v1/users/1", headers: { "if-none-match": etag } });
  assert.deepEqual([changed.status, changed.body.job_title], [200, "Chief"]);
  const missing = await acme.request({ url: "/api/v1/users/99", headers: { "if-none-match": "*" } });
  assert.deepEqual([missing.status, missing.headers["etag"]], [404, undefined]);
  assert.equal((await acme.post("/api/v1/groups", { name: "Sales" })).headers["etag"], undefined);
});

test("in maintenance the API answers 503 and says when to come back; health goes on", async () => {
  await using lectern = await startServer();
  const { acme, maintenance } = lectern;
  maintenance.isOn = true;
  for (const url of ["/api/v1/users", "/api/v1.1/users/0", "/api/v1/nowhere", "/api/v1/users.xml"]) {
    const answer = await acme.get(url);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers["retry-after"], "30");
    assert.deepEqual(answer.body, {
      type: "error",
      status: 503,
      error: "Service Unavailable",
      message: "Offline for maintenance: try again later",
      request_id: answer.headers["x-request-id"],
    });
  }
  assert.equal((await acme.get("/healthz")).status, 200);
  maintenance.isOn = false;
  assert.equal((await acme.get("/api/v1/users")).status, 200);
});

test("past its limit a company is refused until the window ends, and another is not", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const small = await lectern.addCompany({ subdomain: "small", requests_per_minute: 3 });
  const counted = ["/api/v1/ping", "/api/v1/nowhere", "/api/v1/users/0"];
  for (const [index, url] of counted.entries()) {
    const { headers } = await small.get(url);
    assert.equal(headers["ratelimit-policy"], '"company";q=3;w=60');
    assert.match(String(headers["ratelimit"]), new RegExp(`^"company";r=${2 - index};t=\\d\\d?$`));
  }
  for (const request of [{ url: "/api/v1/ping" }, { method: "DELETE", url: "/api/v1.1/nowhere" }] as const) {
    const refused = await small.request(request);
    assert.equal(refused.status, 403);
    assert.match(String(refused.headers["retry-after"]), /^\d\d?$/);
    assert.match(String(refused.headers["ratelimit"]), /^"company";r=0;t=\d\d?$/);
    assert.deepEqual(refused.body, {
      type: "error",
      status: 403,
      error: "Rate Limit Exceeded",
      message: "Rate Limit Exceeded",
      request_id: refused.headers["x-request-id"],
    });
  }
  assert.equal((await acme.get("/api/v1/ping")).status, 200);
  assert.equal((await small.request({ url: "/api/v1/ping", headers: { authorization: "" } })).status, 401);
});

test("without the API in its plan a company is refused everywhere", async () => {
  await using lectern = await startServer();
  const initech = await lectern.addCompany({ subdomain: "initech", has_api: false });
  for (const url of ["/api/v1/ping", "/api/v1/users/0", "/api/v1/nowhere"]) {
    const refused = await initech.get(url);
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.body, {
      type: "error",
      status: 403,
      error: "Forbidden",
      message: "The API is not part of this company's plan: an operator can switch it on",
      request_id: refused.headers["x-request-id"],
    });
  }
});

test("without HTTPS nothing is answered, whatever else is wrong", async () => {
  await using lectern = await startServer({ allowPlainHttp: false });
  for (const headers of [{}, { authorization: "" }, { accept: "text/html" }]) {
    const refused = await lectern.acme.request({ url: "/api/v1/users", headers });
    assert.equal(refused.status, 403);
    assert.equal(refused.body.message, "Use HTTPS. The key that was just sent could be read: make a new one");
  }
});

test("a Link header never fails for a host that is none", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await addUser(acme, "Grace");
  assert.match(
    await linkFrom(acme, "lms.example.com:8443"),
    /^<http:\/\/lms\.example\.com:8443\/api\/v1\/users\?/,
  );
  for (const host of ["bad host[", "%", ":", ""]) {
    assert.match(
      await linkFrom(acme, host),
      /^<(https:\/\/lectern\.test|http:\/\/localhost)\/api\/v1\/users\?/,
    );
  }
});

async function linkFrom(client: Client, host: string): Promise<string> {
  const answer = await client.request({ url: "/api/v1/users?per_page=1", headers: { host } });
  assert.equal(answer.status, 200, host);
  return String(answer.headers["link"]);
}
