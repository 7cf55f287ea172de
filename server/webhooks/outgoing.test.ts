import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { startNameServer } from "../test/name-server.ts";
import { PATIENCE_MS, withLonger } from "../test/patience.ts";
import { findClosedPort, startReceiver, startSilentReceiver, type Answer } from "../test/receiver.ts";
import { Outgoing } from "./outgoing.ts";

const POLICY = { allowsHttp: true, allowedNetworks: ["127.0.0.0/8"] };
/** What ends by itself takes less, also on a slow machine. */
const MOST_MS = 20_000;
/** For what ends with the limit, from one after which it is quick to one that is enough for the slowest machine. */
const LIMITS_MS = [300, 1_500, 7_500, 30_000];
const BROKEN_OFF = {
  kind: "failed",
  reason: "The connection was closed before an answer came",
  is_refused_address: false,
};

/** What came of a request, without how long it took, which must be within the limit and a moment of a slow machine. */
async function postTo(url: string, outgoing: Outgoing, limitMs = PATIENCE_MS): Promise<object> {
  const { duration_ms, ...rest } = await outgoing.post({ url, headers: { "x-id": "1" }, body: '{"a":"ü"}' });
  const most = limitMs === PATIENCE_MS ? MOST_MS : limitMs + 10_000;
  assert.ok(duration_ms >= 0 && duration_ms < most, String(duration_ms));
  return rest;
}

/** Runs what ends with the limit. */
async function withLimit(run: (limitMs: number, outgoing: Outgoing) => Promise<void>): Promise<void> {
  await withLonger(LIMITS_MS, async (limitMs) => {
    await using outgoing = new Outgoing(POLICY, { limitMs });
    await run(limitMs, outgoing);
  });
}

function noAnswer(limitMs: number): object {
  return {
    kind: "failed",
    reason: `No answer within ${limitMs / 1000} seconds`,
    is_refused_address: false,
  };
}

function answered(status: number, body: string, retryAfter: string | null = null): object {
  return { kind: "answered", status, body, retry_after: retryAfter };
}

test("a receiver gets what was sent, and its answer is told", async () => {
  await using receiver = await startReceiver();
  await using outgoing = new Outgoing(POLICY, { limitMs: PATIENCE_MS });
  assert.deepEqual(await postTo(`${receiver.url}/hooks?a=1&a=%202#part`, outgoing), answered(200, "ok"));
  const headers = {
    host: `127.0.0.1:${receiver.port}`,
    connection: "keep-alive",
    "x-id": "1",
    "accept-encoding": "identity",
    "content-length": "10",
  };
  assert.deepEqual(receiver.received, [{ path: "/hooks?a=1&a=%202", headers, body: '{"a":"ü"}' }]);
});

test("receivers that answer oddly leave what they said", async () => {
  await using receiver = await startReceiver();
  await using outgoing = new Outgoing(POLICY, { limitMs: PATIENCE_MS });
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const cases: [string, Answer, object][] = [
    [
      "a redirect is not followed",
      (to) => to.writeHead(301, { location: `${receiver.url}/next` }).end("moved"),
      answered(301, "moved"),
    ],
    [
      "nor one to the metadata",
      (to) => to.writeHead(307, { location: "http://169.254.169.254/" }).end(),
      answered(307, ""),
    ],
    [
      "429 with seconds",
      (to) => to.writeHead(429, { "retry-after": "120" }).end("slow"),
      answered(429, "slow", "120"),
    ],
    [
      "429 with nonsense",
      (to) => to.writeHead(429, { "retry-after": "x".repeat(3000) }).end(),
      answered(429, "", "x".repeat(100)),
    ],
    [
      "hints come first",
      (to) => (to.writeEarlyHints({ link: "</a>; rel=preload" }), to.end("then")),
      answered(200, "then"),
    ],
    ["a body without end", endless, answered(200, "a".repeat(4096))],
    ["a body that breaks off", (to) => void to.write("begun", () => to.destroy()), answered(200, "begun")],
    [
      "a gzip bomb",
      (to) => to.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
      answered(200, `(${bomb.length} bytes, gzip)`),
    ],
    ["half a character", (to) => to.end(`${"a".repeat(4095)}ü`), answered(200, "a".repeat(4095))],
    [
      "bytes that are no text",
      (to) => to.end(Buffer.from([0x61, 0, 0xff, 0x62])),
      answered(200, "a\uFFFD\uFFFDb"),
    ],
    ["no body", (to) => to.writeHead(204).end(), answered(204, "")],
    ["headers twice", (to) => to.writeHead(429, TWICE).end("?"), answered(429, "(1 bytes, gzip)", "5")],
    ["410", (to) => to.writeHead(410).end("gone"), answered(410, "gone")],
  ];
  for (const [name, answer, expected] of cases) {
    receiver.behave(answer);
    assert.deepEqual(await postTo(receiver.url, outgoing), expected, name);
  }
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    cases.map(() => "/"),
  );
});

/** Names and values in turn. */
const TWICE = ["retry-after", "5", "retry-after", "6", "content-encoding", "gzip", "content-encoding", "br"];

const endless: Answer = (response) => {
  const more = (): void => void (!response.destroyed && response.write("a".repeat(10_000), more));
  more();
};

test("receivers whose answer goes on until the limit leave what has come of it", async () => {
  await using receiver = await startReceiver({ answer: (to) => void to.write("begun") });
  await withLimit(async (limitMs, outgoing) => {
    assert.deepEqual(await postTo(receiver.url, outgoing, limitMs), answered(200, "begun"));
  });
  receiver.behave(drip);
  await withLimit(async (limitMs, outgoing) => {
    const posted = await postTo(receiver.url, outgoing, limitMs);
    assert.match(JSON.stringify(posted), /"status":202.*"body":"\.{2,}"/);
  });
});

const drip: Answer = (response) => {
  response.writeHead(202);
  const timer = setInterval(() => response.write("."), 20);
  response.on("close", () => clearInterval(timer));
};

test("an answer that is too long is cut before its time", async () => {
  await using receiver = await startReceiver({ answer: endless });
  await using outgoing = new Outgoing(POLICY, { limitMs: 60_000 });
  const { duration_ms, ...rest } = await outgoing.post({ url: receiver.url, headers: {}, body: "" });
  assert.deepEqual(rest, answered(200, "a".repeat(4096)));
  assert.ok(duration_ms < 30_000, String(duration_ms));
});

test("receivers that give no answer leave why", async () => {
  await using outgoing = new Outgoing(POLICY, { limitMs: PATIENCE_MS });
  const refused = { kind: "failed", reason: "The connection was refused", is_refused_address: false };
  assert.deepEqual(await postTo(`http://127.0.0.1:${await findClosedPort()}/`, outgoing), refused);
  const notHttp = {
    kind: "failed",
    reason: "The answer isn't HTTP",
    is_refused_address: false,
  };
  const tooLarge = {
    kind: "failed",
    reason: "The answer's headers are too large",
    is_refused_address: false,
  };
  const cases: [string, Parameters<typeof startSilentReceiver>[0], object][] = [
    ["resets at once", (socket) => void socket.resetAndDestroy(), BROKEN_OFF],
    ["resets when asked", (socket) => void socket.once("data", () => socket.resetAndDestroy()), BROKEN_OFF],
    ["hangs up when asked", (socket) => void socket.once("data", () => socket.end()), BROKEN_OFF],
    [
      "breaks off within the headers",
      (socket) => void socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nA: b")),
      BROKEN_OFF,
    ],
    [
      "speaks something else",
      (socket) => void socket.once("data", () => socket.end("220 mail.example ESMTP\r\n")),
      notHttp,
    ],
    [
      "wants to speak something else",
      (socket) =>
        void socket.once("data", () =>
          socket.write("HTTP/1.1 101 Switching Protocols\r\nContent-Length: 0\r\n\r\n"),
        ),
      { ...notHttp, reason: "The answer is none to a POST: it wants to speak another protocol (101)" },
    ],
    [
      "has endless headers",
      (socket) => void socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\nA: ${"b".repeat(40_000)}`)),
      tooLarge,
    ],
  ];
  for (const [name, behave, expected] of cases) {
    await using receiver = await startSilentReceiver(behave);
    assert.deepEqual(await postTo(receiver.url, outgoing), expected, name);
  }
});

test("receivers that are silent until the limit leave that there was no answer", async () => {
  const silences: [string, Parameters<typeof startSilentReceiver>[0]][] = [
    ["never reads", (socket) => void socket.pause()],
    ["never answers", (socket) => void socket.resume()],
    ["hangs within the headers", (socket) => void socket.write("HTTP/1.1 200 OK\r\nA: b")],
  ];
  for (const [name, behave] of silences) {
    await using receiver = await startSilentReceiver(behave);
    await withLimit(async (limitMs, outgoing) => {
      assert.deepEqual(await postTo(receiver.url, outgoing, limitMs), noAnswer(limitMs), name);
    });
  }
  await using late = await startReceiver();
  await withLimit(async (limitMs, outgoing) => {
    late.behave((response) => void setTimeout(() => response.end("ok"), limitMs + 100));
    assert.deepEqual(await postTo(late.url, outgoing, limitMs), noAnswer(limitMs));
  });
});

test("names that DNS knows nothing of, or is silent about, leave why", async () => {
  await using nameServer = await startNameServer({ "empty.test": [[]] });
  await using outgoing = new Outgoing(POLICY, { limitMs: PATIENCE_MS, resolver: nameServer.resolver });
  assert.deepEqual(await postTo("http://unknown.test/", outgoing), unknown("unknown.test"));
  assert.deepEqual(await postTo("http://empty.test/", outgoing), unknown("empty.test"));
  const silent = { resolve4: hang, resolve6: hang };
  await using waiting = new Outgoing(POLICY, { limitMs: 300, resolver: silent });
  assert.deepEqual(await postTo("http://silent.test/", waiting), {
    kind: "failed",
    reason: "No connection within 0.3 seconds",
    is_refused_address: false,
  });
});

function unknown(name: string): object {
  return { kind: "failed", reason: `No address was found for the name ${name}`, is_refused_address: false };
}

function hang(): Promise<never> {
  return new Promise(() => undefined);
}

test("a name with an address that is down is reached at another", async () => {
  await using nameServer = await startNameServer({ "two.test": [["127.0.0.3", "127.0.0.1"]] });
  await using receiver = await startReceiver();
  await using outgoing = new Outgoing(POLICY, { limitMs: PATIENCE_MS, resolver: nameServer.resolver });
  assert.deepEqual(await postTo(`http://two.test:${receiver.port}/`, outgoing), answered(200, "ok"));
});

test("headers that are for the connection to decide are not sent, nor what is no header", async () => {
  await using receiver = await startReceiver();
  await using outgoing = new Outgoing(POLICY, { limitMs: PATIENCE_MS });
  const post = async (headers: Record<string, string>): Promise<string> => {
    const posted = await outgoing.post({ url: receiver.url, headers, body: "" });
    return posted.kind === "failed" ? posted.reason : String(posted.status);
  };
  assert.equal(await post({ Host: "metadata.google.internal" }), "The header Host can't be chosen");
  assert.equal(
    await post({ "transfer-encoding": "chunked" }),
    "The header transfer-encoding can't be chosen",
  );
  const invalid = "A header has a name or value that can't be sent";
  assert.equal(await post({ authorization: "secret\r\nx-other: 1" }), invalid);
  assert.equal(await post({ "no name": "1" }), invalid);
  assert.equal(
    await post({ Authorization: "Bearer theirs", "X-Id": "1", authorization: "Bearer ours" }),
    "200",
  );
  const [sent, ...none] = receiver.received;
  assert.deepEqual(none, []);
  assert.deepEqual([sent?.headers.authorization, sent?.headers["x-id"]], ["Bearer ours", "1"]);
});

test("what is under way is broken off by its signal, or when all ends", async () => {
  await using receiver = await startReceiver({ answer: () => undefined });
  const outgoing = new Outgoing(POLICY, { limitMs: 60_000 });
  const stopped = {
    kind: "failed",
    reason: "Sending was stopped before an answer came",
    is_refused_address: false,
  };
  const message = { url: receiver.url, headers: {}, body: "" };
  const one = outgoing.post(message, AbortSignal.timeout(30));
  const others = [1, 2, 3].map(() => outgoing.post(message));
  const { duration_ms, ...rest } = await one;
  assert.deepEqual(rest, stopped);
  assert.ok(duration_ms < 30_000);
  await outgoing[Symbol.asyncDispose]();
  for (const posted of await Promise.all(others))
    assert.deepEqual({ ...posted, duration_ms: 0 }, { ...stopped, duration_ms: 0 });
  const after = await outgoing.post(message);
  assert.deepEqual({ ...after, duration_ms: 0 }, { ...stopped, duration_ms: 0 });
});

test("one that hangs doesn't hold up another's requests to the same server", async () => {
  await using receiver = await startReceiver({
    answer: (response, { path }) => void (path === "/fast" && response.end("ok")),
  });
  await withLimit(async (limitMs, outgoing) => {
    const before = receiver.received.length;
    const slow = Array.from({ length: 40 }, () =>
      outgoing.post({ url: `${receiver.url}/slow`, headers: {}, body: "", lane: "1" }),
    );
    const fast = await outgoing.post({ url: `${receiver.url}/fast`, headers: {}, body: "", lane: "2" });
    assert.equal(fast.kind, "answered", JSON.stringify(fast));
    const reasons = (await Promise.all(slow)).map((posted) => posted.kind === "failed" && posted.reason);
    const within = `within ${limitMs / 1000} seconds`;
    const sent = reasons.filter((reason) => reason === `No answer ${within}`).length;
    assert.equal(reasons.filter((reason) => reason === `No connection ${within}`).length, 40 - sent);
    // Those that wait for a connection until their time is up are never sent.
    assert.ok(sent >= 16 && sent < 40, String(sent));
    const received = receiver.received.length - before;
    assert.ok(received <= sent + 1, String(received));
  });
});
