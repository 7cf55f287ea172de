import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HeldWrites } from "../test/held.ts";
import { PATIENCE_MS, withLonger } from "../test/patience.ts";
import { type Answer, startServer, type TestServer } from "../test/server.ts";

/** As many requests as one process has under way before it refuses more. */
const MOST_UNDER_WAY = 500;
/** As many readers of the feed wait for one company. */
const MOST_WAITING_OF_A_COMPANY = 100;
/** How many clients go away: each takes two of the files that a process may have open, which are often 1,024. */
const WHO_GO_AWAY = 100;
/** Connections that a test's server has to its database. */
const CONNECTIONS = 5;
/** For what ends with a limit, from one after which it is quick to one that is enough for the slowest machine. */
const LIMITS_MS = [1_000, 6_000, 40_000];

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

test("who waits for events keeps nobody out, and only so many of a company wait", async () => {
  await using lectern = await startServer();
  const names = Array.from(
    { length: 1 + MOST_UNDER_WAY / MOST_WAITING_OF_A_COMPANY },
    (_, i) => `reader-${i}`,
  );
  const readers = await Promise.all(names.map((subdomain) => lectern.addCompany({ subdomain })));
  const waiting: Promise<Answer>[] = [];
  for (const reader of readers) {
    const { body } = await reader.get("/api/v2/events/position");
    const url = `/api/v2/events?after=${body.position}&wait=30`;
    const asked = Array.from({ length: MOST_WAITING_OF_A_COMPANY + 1 }, () => reader.get(url));
    // One too many is answered at once, with nothing.
    const refused = await Promise.race(asked);
    assert.deepEqual([refused.status, refused.body], [200, { data: [], next: body.position }]);
    waiting.push(...asked);
  }
  assert.equal((await lectern.globex.get("/api/v1/ping")).status, 200);
  for (const reader of readers) await reader.post("/api/v1/groups", { name: "Awaited" });
  const answers = await Promise.all(waiting);
  const told = answers.filter(({ body }) => body.data[0]?.type === "group.created");
  assert.equal(told.length, answers.length - readers.length);
});

test("clients that go away before their answer leave nothing behind", { timeout: 120_000 }, async (t) => {
  await using lectern = await startServer();
  await lectern.app.listen({ host: "127.0.0.1", port: 0 });
  const staying = Array.from({ length: MOST_UNDER_WAY - WHO_GO_AWAY }, () => sendSlowly(lectern));
  const sockets: Socket[] = [];
  const sendHalf = async (): Promise<void> => {
    const socket = await open(lectern);
    sockets.push(socket);
    socket.write(postOf(lectern, '{"name":'));
  };
  await Promise.all(Array.from({ length: WHO_GO_AWAY }, sendHalf));
  // One that arrives beside a ping is refused, and another takes its place.
  let status = (await lectern.acme.get("/api/v1/ping")).status;
  while (!t.signal.aborted && status !== 503) {
    await sendHalf();
    await sleep(10);
    ({ status } = await lectern.acme.get("/api/v1/ping"));
  }
  assert.equal(status, 503);
  for (const socket of sockets) socket.destroy();
  while (!t.signal.aborted && status !== 200) {
    await sleep(10);
    ({ status } = await lectern.acme.get("/api/v1/ping"));
  }
  assert.equal(status, 200);
  // The others are still there.
  for (const { end } of staying) end();
  const stayed = await Promise.all(staying.map(({ answer }) => answer));
  assert.deepEqual([...new Set(stayed.map((answer) => answer.status))], [400]);
  const metrics = await lectern.app.inject({ url: "/metrics" });
  assert.match(
    metrics.body,
    /^lectern_http_requests_total\{method="POST",route="\/api\/v1\/groups",status="499"\} \d+$/m,
  );
});

test("a request that does not arrive in time is ended, and so is a connection that idles", async () => {
  await using lectern = await startServer({ timeLimits: { headersMs: 200, requestMs: 400, idleMs: 60_000 } });
  await lectern.app.listen({ host: "127.0.0.1", port: 0 });
  // With time enough for a request, so that a slow machine ends it for no other reason.
  const patient = { headersMs: 60_000, requestMs: 60_000, idleMs: 200 };
  await using another = await startServer({ timeLimits: patient });
  await another.app.listen({ host: "127.0.0.1", port: 0 });
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
  const idle = await open(another);
  idle.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  const [toHeaders, toBody, toIdle] = await Promise.all([text(slowHeaders), text(slowBody), text(idle)]);
  for (const answer of [toHeaders, toBody]) {
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.deepEqual(JSON.parse(answer.slice(answer.indexOf("{"))), late);
  }
  assert.match(toIdle, /^HTTP\/1\.1 200 OK\r\n/);
  assert.equal((await lectern.acme.get("/api/v1/ping")).status, 200);
});

test("a request without a Host, or that expects what nobody knows, is answered as any other error", async () => {
  await using lectern = await startServer();
  await lectern.app.listen({ host: "127.0.0.1", port: 0 });
  const ask = async (line: string, ...headers: readonly string[]) => {
    const socket = await open(lectern);
    const key = `Authorization: ${lectern.acme.authorization}`;
    socket.write(`${[line, key, "Connection: close", ...headers].join("\r\n")}\r\n\r\n`);
    const answer = await text(socket);
    return [answer.slice(0, answer.indexOf("\r\n")), JSON.parse(answer.slice(answer.indexOf("{")))];
  };
  for (const [message, line, ...headers] of [
    ["The request has no Host header: HTTP/1.1 asks for one", ping("1.1")],
    ["The request has no Host header: HTTP/1.1 asks for one", ping("1.1", "nowhere")],
    [
      "The request expects what no server here knows: leave the Expect header out",
      ...[ping("1.1"), "Host: a", "Expect: foo"],
    ],
  ] as const) {
    const [status, { request_id, ...body }] = await ask(line, ...headers);
    assert.equal(status, "HTTP/1.1 400 Bad Request");
    assert.notEqual(request_id, "");
    const error = { type: "error", status: 400, error: "Malformed Request", message, errors: [] };
    assert.deepEqual(body, error);
  }
  const [old] = await ask(ping("1.0"));
  assert.equal(old, "HTTP/1.1 200 OK");
  const [usual] = await ask(ping("1.1"), "Host: a", "Expect: 100-continue");
  assert.equal(usual, "HTTP/1.1 100 Continue");
});

test("a statement that takes too long is ended, and nothing of its request is done", async () => {
  await withLonger(LIMITS_MS, async (statementTimeoutMs) => {
    await using lectern = await startServer({ statementTimeoutMs });
    await using held = await HeldWrites.hold(lectern.ownerUrl);
    const refused = await lectern.acme.post("/api/v1/groups", { name: "Slow" });
    assert.equal(refused.status, 503);
    assert.equal(refused.headers["retry-after"], "5");
    await held.release();
    assert.deepEqual((await lectern.acme.get("/api/v1/groups")).body, { type: "groups", groups: [] });
  });
});

test("who waits too long for a connection is told to come back, and those before them are served", async () => {
  await withLonger(LIMITS_MS, async (acquireTimeoutMs) => {
    await using lectern = await startServer({ acquireTimeoutMs, statementTimeoutMs: PATIENCE_MS });
    await using held = await HeldWrites.hold(lectern.ownerUrl);
    const add = (name: string) => lectern.acme.post("/api/v1/groups", { name });
    const before = Array.from({ length: CONNECTIONS }, (_, index) => add(`Group ${index}`));
    await held.areWaitedFor(CONNECTIONS);
    const refused = await add("One more");
    assert.equal(refused.status, 503);
    assert.equal(refused.headers["retry-after"], "5");
    assert.equal(refused.body.message, "The service is overloaded or its database is away: try again later");
    await held.release();
    const served = await Promise.all(before);
    assert.deepEqual([...new Set(served.map(({ status }) => status))], [201]);
  });
});

function ping(version: string, name = "ping"): string {
  return `GET /api/v1/${name} HTTP/${version}`;
}

/** A request whose body has no end before it is ended, and then it is no JSON. It needs no connection. */
function sendSlowly({ acme }: TestServer): { readonly answer: Promise<Answer>; readonly end: () => void } {
  const payload = new PassThrough();
  payload.write('{"name":');
  const headers = { "content-type": "application/json" };
  const answer = acme.request({ method: "POST", url: "/api/v1/groups", headers, payload });
  return { answer, end: () => void payload.end() };
}

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
