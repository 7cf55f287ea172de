import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../test/server.ts";

const ours = "https://app.example.com";
const preflight = { origin: ours, "access-control-request-method": "PUT", authorization: "" };

test("pages of other origins may not call unless origins are configured", async () => {
  await using lectern = await startServer();
  const answer = await lectern.acme.request({ url: "/api/v1/ping", headers: { origin: ours } });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["access-control-allow-origin"], undefined);
  const asked = await lectern.acme.request({ method: "OPTIONS", url: "/api/v1/users/1", headers: preflight });
  assert.equal(asked.status, 401);
});

test("pages of a configured origin may call, and read errors too", async () => {
  await using lectern = await startServer({ corsOrigins: [ours] });
  const { acme } = lectern;
  const asked = await acme.request({ method: "OPTIONS", url: "/api/v1/users/1", headers: preflight });
  assert.equal(asked.status, 204);
  assert.equal(asked.headers["access-control-allow-origin"], ours);
  assert.equal(asked.headers["access-control-allow-methods"], "GET, HEAD, POST, PUT, PATCH, DELETE");
  for (const [url, authorization, status] of [
    ["/api/v1/ping", acme.authorization, 200],
    ["/api/v1/ping", "", 401],
    ["/api/v1/nowhere", acme.authorization, 404],
  ] as const) {
    const answer = await acme.request({ url, headers: { origin: ours, authorization } });
    assert.deepEqual([url, answer.status], [url, status]);
    assert.equal(answer.headers["access-control-allow-origin"], ours);
    assert.equal(answer.headers["access-control-allow-credentials"], undefined);
    assert.equal(
      answer.headers["access-control-expose-headers"],
      "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
    );
    assert.equal(answer.headers["vary"], "Origin");
  }
});

test("pages of another origin may not, and addresses stay what they are", async () => {
  await using lectern = await startServer({ corsOrigins: [ours] });
  const { acme } = lectern;
  const theirs = "https://app.example.com.evil.example";
  const answer = await acme.request({ url: "/api/v1/ping", headers: { origin: theirs } });
  assert.equal(answer.headers["access-control-allow-origin"], undefined);
  const headers = { ...preflight, origin: theirs };
  const asked = await acme.request({ method: "OPTIONS", url: "/api/v1/users/1", headers });
  assert.equal(asked.headers["access-control-allow-origin"], undefined);
  assert.equal((await acme.request({ method: "PATCH", url: "/api/v1/nowhere" })).status, 404);
  const wrong = await acme.request({ method: "PATCH", url: "/api/v1/users" });
  assert.deepEqual([wrong.status, wrong.headers["allow"]], [405, "GET, HEAD, POST"]);
});
