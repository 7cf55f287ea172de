import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HeldWrites } from "../test/held.ts";
import { startServer, type TestServer } from "../test/server.ts";

/** As many requests as one process has under way before it refuses more. */
const MOST_UNDER_WAY = 500;

test("more requests than can be served are told to come back at once, and the server recovers", async () => {
  await using lectern = await startServer();
  await using held = await HeldWrites.hold(lectern.ownerUrl);
  const before = Array.from({ length: MOST_UNDER_WAY }, () =>
    lectern.acme.post("/api/v1/groups", { name: "Slow" }),
  );
  await held.areWaitedFor(1);
  const refused = await lectern.acme.get("/api/v1/ping");
  assert.equal(refused.status, 503);
  assert.equal(refused.headers["retry-after"], "1");
  assert.deepEqual(refused.body, {
    type: "error",
    status: 503,
    error: "Service Unavailable",
    message: "Too many requests at once: try again",
    request_id: refused.headers["x-request-id"],
  });
  assert.equal((await lectern.app.inject({ url: "/healthz" })).statusCode, 200);
  await held.release();
  const answers = await Promise.all(before);
  // Those that waited too long for a connection are told to come back as well; nobody gets anything else.
  for (const { status, headers } of answers) {
    assert.ok(status === 201 || (status === 503 && headers["retry-after"] === "5"), `${status}`);
  }
  const made = await lectern.acme.get("/api/v1/groups");
  assert.equal(made.status, 200);
  assert.equal(made.body.groups.length, answers.filter(({ status }) => status === 201).length);
});

test("clients that go away before their answer leave nothing behind", { timeout: 60_000 }, async () => {
  await using lectern = await startServer();
  await lectern.app.listen({ host: "127.0.0.1", port: 0 });
  // Some to spare: one that arrives beside a ping is refused, and would be missed for ever.
  const sockets = await Promise.all(Array.from({ length: MOST_UNDER_WAY + 10 }, () => open(lectern)));
  for (const socket of sockets) socket.write(postOf(lectern, '{"name":'));
  while ((await lectern.acme.get("/api/v1/ping")).status !== 503) await sleep(10);
  for (const socket of sockets) socket.destroy();
  while ((await lectern.acme.get("/api/v1/ping")).status !== 200) await sleep(10);
  const metrics = await lectern.app.inject({ url: "/metrics" });
  assert.match(
    metrics.body,
    /^lectern_http_requests_total\{method="POST",route="\/api\/v1\/groups",status="499"\} \d+$/m,
  );
});

test("a request that does not arrive in time is ended, and so is a connection that idles", async () => {
  await using lectern = await startServer({ timeLimits: { headersMs: 200, requestMs: 400, idleMs: 200 } });
  await lectern.app.listen({ host: "127.0.0.1", port: 0 });
  const late = {
    type: "error",
    status: 400,
    error: "Malformed Request",
    message: "The request did not arrive in time",
    errors: [],
    request_id: "",
  };
  const slowHeaders = await open(lectern);
  slowHeaders.write("GET /api/v1/ping HTTP/1.1\r\nHost: a\r\n");
  const slowBody = await open(lectern);
  slowBody.write(postOf(lectern, '{"name":'));
  const idle = await open(lectern);
  idle.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  const [toHeaders, toBody, toIdle] = await Promise.all([text(slowHeaders), text(slowBody), text(idle)]);
  for (const answer of [toHeaders, toBody]) {
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.deepEqual(JSON.parse(answer.slice(answer.indexOf("{"))), late);
  }
  assert.match(toIdle, /^HTTP\/1\.1 200 OK\r\n/);
  assert.equal((await lectern.acme.get("/api/v1/ping")).status, 200);
});

test("a statement that takes too long is ended, and nothing of its request is done", async () => {
  await using lectern = await startServer({ statementTimeoutMs: 200 });
  await using held = await HeldWrites.hold(lectern.ownerUrl);
  const refused = await lectern.acme.post("/api/v1/groups", { name: "Slow" });
  assert.equal(refused.status, 503);
  assert.equal(refused.headers["retry-after"], "5");
  await held.release();
  assert.deepEqual((await lectern.acme.get("/api/v1/groups")).body, { type: "groups", groups: [] });
});

/** A connection to the server, which listens on a port of its own. */
async function open({ app }: TestServer): Promise<Socket> {
  const address = app.server.address();
  if (typeof address !== "object" || address === null) throw new Error("it listens on a port");
  const socket = connect(address.port, address.address);
  // Whether it ends by an answer or by a reset is not what the tests ask.
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** A request whose body goes on for longer than what is sent of it. */
function postOf({ acme }: TestServer, begun: string): string {
  const headers = [`Authorization: ${acme.authorization}`, "Host: a", "Content-Type: application/json"];
  return `POST /api/v1/groups HTTP/1.1\r\n${headers.join("\r\n")}\r\nContent-Length: 100\r\n\r\n${begun}`;
}
