import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import * as fc from "fast-check";
import { sql } from "kysely";
import { Database } from "../db/db.ts";
import { createTestDatabase } from "../test/database.ts";
import type { TestDatabase } from "../test/database.ts";
import { PATIENCE_MS, until, withLonger } from "../test/patience.ts";
import { postgresWindows, RateLimiter, WINDOW_MS } from "./limits.ts";
import { redisWindows } from "./redis-windows.ts";
import type { Verdict, WindowStore } from "./limits.ts";

/** What windows stand in, and a way to open stores on it, each with connections of its own as in other processes. */
interface Backend extends AsyncDisposable {
  open(windowMs?: number): WindowStore;
}

/** For what happens within a window and with its end, from one after which it is quick to one for the slowest machine. */
const WINDOWS_MS = [400, 2_000, 10_000];

const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;
const backends = [
  { name: "PostgreSQL", start: startPostgres, skip: false },
  { name: "Redis", start: startRedis, skip: hasRedis ? false : "there is no redis-server on the PATH" },
] as const;

for (const { name, start, skip } of backends) {
  for (const limit of [500, 20_000]) {
    test(`${name}: four processes together admit ${limit} in a window`, { skip }, async () => {
      await using backend = await start();
      await using four = openFour(backend);
      const admitted = await Promise.all(four.limiters.map((limiter) => takeUntilRefused(limiter, limit)));
      const total = admitted.reduce((sum, count) => sum + count);
      assert.ok(total <= limit, `${total} of ${limit}`);
      assert.ok(total >= limit * 0.99, `${total} of ${limit}`);
      for (const limiter of four.limiters)
        assert.equal((await limiter.take("company:1", limit)).remaining, 0);
    });
  }

  test(`${name}: no process refuses while others hold unused leases of 1 %`, { skip }, async () => {
    await using backend = await start();
    await using four = openFour(backend);
    const limit = 20_000;
    const [first] = four.limiters;
    let total = (await takeTogether(first, limit * 0.98)).length;
    let refused = false;
    while (!refused && total <= limit) {
      for (const limiter of four.limiters) {
        if ((await limiter.take("company:1", limit)).admitted) total += 1;
        else refused = true;
      }
    }
    assert.ok(total <= limit && total >= limit * 0.99, `${total} of ${limit}`);
  });

  test(
    `${name}: a window begins with the first request and ends for all processes at once`,
    { skip },
    async () => {
      await using backend = await start();
      await withLonger(WINDOWS_MS, async (windowMs) => {
        await using stores = new AsyncDisposableStack();
        const here = new RateLimiter(stores.use(backend.open(windowMs)));
        const there = new RateLimiter(stores.use(backend.open(windowMs)));
        const bucket = `a window of ${windowMs}`;
        // Were windows cut from the clock or from the start of the process, this one would be shorter.
        await here.take("warm the connection", 1);
        await there.take("warm the connection", 1);
        await sleep(windowMs / 3);
        const began = performance.now();
        assert.equal((await here.take(bucket, 2)).admitted, true);
        assert.equal((await there.take(bucket, 2)).admitted, true);
        await until("its end", async () => (await there.take(bucket, 2)).admitted);
        const lasted = performance.now() - began;
        // The stores count whole milliseconds.
        assert.ok(lasted >= windowMs - 2, `it lasted ${lasted} ms`);
        assert.ok(lasted < windowMs * 5, `it lasted ${lasted} ms`);
        assert.equal((await here.take(bucket, 2)).admitted, true);
        assert.equal((await here.take(bucket, 2)).admitted, false);
      });
    },
  );

  test(`${name}: what was leased lapses with the window`, { skip }, async () => {
    await using backend = await start();
    await withLonger(WINDOWS_MS, async (windowMs) => {
      await using store = counted(backend.open(windowMs));
      const limiter = new RateLimiter(store);
      await limiter.take("warm the connection", 1);
      const bucket = `a window of ${windowMs}`;
      assert.equal((await limiter.take(bucket, 100_000)).remaining, 99_999);
      assert.equal(limiter.take(bucket, 100_000) instanceof Promise, false);
      await sleep(windowMs + 1);
      assert.equal((await limiter.take(bucket, 100_000)).remaining, 99_999);
      assert.equal(store.asked(), 3);
    });
  });

  test(`${name}: a bucket never touches another`, { skip }, async () => {
    await using backend = await start();
    await using store = backend.open();
    const limiter = new RateLimiter(store);
    assert.equal(await takeUntilRefused(limiter, 20), 20);
    const verdict = await limiter.take("company:2", 20);
    const { resetSeconds } = verdict;
    assert.deepEqual(verdict, { admitted: true, limit: 20, remaining: 19, resetSeconds });
    const windowSeconds = WINDOW_MS / 1000;
    assert.ok(resetSeconds > windowSeconds / 2 && resetSeconds <= windowSeconds, `${resetSeconds} s`);
  });

  test(`${name}: a limit that is raised or lowered counts at once`, { skip }, async () => {
    await using backend = await start();
    await using store = backend.open();
    const limiter = new RateLimiter(store);
    assert.equal(await takeUntilRefused(limiter, 10), 10);
    assert.equal(await takeUntilRefused(limiter, 15), 5);
    assert.equal((await limiter.take("company:1", 5)).admitted, false);
    assert.equal((await new RateLimiter(store).take("company:1", 5)).admitted, false);
    assert.equal((await limiter.take("company:1", 16)).admitted, true);
  });
}

test("while Redis is away who asks is told to come back", async () => {
  await using store = redisWindows("redis://127.0.0.1:1");
  const refused = { status: 503, message: "Requests can't be counted now: try again later" };
  await assert.rejects(Promise.resolve(new RateLimiter(store).take("company:1", 500)), refused);
});

test("after PostgreSQL's clock was set back a full window does not stay full until it is the same time again", async () => {
  await using database = await createTestDatabase();
  await using connections = connect(database);
  const store = postgresWindows(connections);
  const limiters = Array.from({ length: 3 }, () => new RateLimiter(store));
  const take = async (index: number) => (await limiters[index]?.take("company:1", 1))?.admitted;
  const move = async (ms: number) =>
    connections.global((tables) =>
      sql`update rate_windows set started_ms = started_ms + ${ms}`.execute(tables),
    );
  assert.equal(await take(0), true);
  // A statement that waited for its turn may bring a time that is a little before the window's beginning.
  await move(1_000);
  assert.equal(await take(1), false);
  await move(3_600_000);
  assert.equal(await take(2), true);
});

test("requests that come together are asked for together, and a full window is not asked about", async () => {
  await using backend = await startPostgres();
  await using store = counted(backend.open());
  const limiter = new RateLimiter(store);
  const verdicts = await Promise.all(Array.from({ length: 700 }, async () => limiter.take("company:1", 500)));
  assert.equal(verdicts.filter((verdict) => verdict.admitted).length, 500);
  assert.ok(store.asked() <= 2, `the store was asked ${store.asked()} times`);
  const asked = store.asked();
  const refused = limiter.take("company:1", 500);
  assert.ok(!(refused instanceof Promise));
  assert.deepEqual(refused, {
    admitted: false,
    limit: 500,
    remaining: 0,
    resetSeconds: refused.resetSeconds,
  });
  assert.ok(refused.resetSeconds >= 1 && refused.resetSeconds <= 60);
  assert.equal(store.asked(), asked);
});

test("when the store can't be asked the request fails, and the next one asks again", async () => {
  let isDown = true;
  const memory = inMemory();
  const limiter = new RateLimiter({
    ...memory,
    grant: async (ask) => (isDown ? Promise.reject(new Error("down")) : memory.grant(ask)),
  });
  await assert.rejects(async () => limiter.take("company:1", 5), /down/);
  isDown = false;
  assert.equal((await limiter.take("company:1", 5)).remaining, 4);
});

test("a process forgets buckets that it has not seen for long, the store does not", async () => {
  const store = counted(inMemory());
  const limiter = new RateLimiter(store);
  assert.equal(await takeUntilRefused(limiter, 1), 1);
  assert.equal(store.asked(), 1);
  for (let i = 0; i < 40_000; i += 1) await limiter.take(`address:${i}`, 10);
  assert.equal((await limiter.take("company:1", 1)).admitted, false);
  assert.equal(store.asked(), 40_002);
});

test("whatever the order of the store's answers, never more than the limit and never refused below 99 %", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.constantFrom(1, 30, 10_000, 30_000),
      fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 60 }),
      async (scheduler, limit, takers) => {
        // Near its end, so that a few requests fill it.
        const memory = inMemory(Math.max(0, limit - 30));
        const grant = async (ask: Parameters<WindowStore["grant"]>[0]) => {
          const answer = memory.grant(ask);
          await scheduler.schedule(Promise.resolve());
          return answer;
        };
        const limiters = Array.from({ length: 3 }, () => new RateLimiter({ ...memory, grant }));
        const verdicts = takers.map(async (taker) => limiters[taker]?.take("company:1", limit));
        const admitted = (await scheduler.waitFor(Promise.all(verdicts))).filter(
          (verdict) => verdict?.admitted,
        ).length;
        const free = Math.min(30, limit);
        assert.ok(admitted <= free);
        if (admitted < takers.length) assert.ok(limit - free + admitted >= limit * 0.99);
      },
    ),
  );
});

function openFour(backend: Backend) {
  const stores = new AsyncDisposableStack();
  // It must not end before it is full, also on a slow machine.
  const open = () => new RateLimiter(stores.use(backend.open(10 * WINDOW_MS)));
  return {
    limiters: [open(), open(), open(), open()] as const,
    [Symbol.asyncDispose]: () => stores.disposeAsync(),
  };
}

/** How many were admitted to 25 clients that go on until they are refused. */
async function takeUntilRefused(limiter: RateLimiter, limit: number): Promise<number> {
  let admitted = 0;
  const client = async () => {
    while (admitted <= limit && (await limiter.take("company:1", limit)).admitted) admitted += 1;
  };
  await Promise.all(Array.from({ length: 25 }, client));
  return admitted;
}

async function takeTogether(limiter: RateLimiter, count: number): Promise<Verdict[]> {
  const verdicts = await Promise.all(
    Array.from({ length: count }, async () => limiter.take("company:1", 20_000)),
  );
  return verdicts.filter((verdict) => verdict.admitted);
}

function counted(store: WindowStore) {
  let asked = 0;
  return {
    asked: () => asked,
    grant: async (ask: Parameters<WindowStore["grant"]>[0]) => {
      asked += 1;
      return store.grant(ask);
    },
    [Symbol.asyncDispose]: async () => store[Symbol.asyncDispose](),
  };
}

/** A store within the test, whose windows have some requests used already and don't end. */
function inMemory(usedAlready = 0): WindowStore {
  const usedOf = new Map<string, number>();
  return {
    grant: async ({ bucket, tokens, limit }) => {
      const before = usedOf.get(bucket) ?? usedAlready;
      const granted = Math.max(0, Math.min(tokens, limit - before));
      usedOf.set(bucket, before + granted);
      return { granted, used: before + granted, remainingMs: WINDOW_MS };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function startPostgres(): Promise<Backend> {
  const database = await createTestDatabase();
  return {
    open: (windowMs) => postgresWindows(connect(database), windowMs),
    [Symbol.asyncDispose]: async () => database[Symbol.asyncDispose](),
  };
}

function connect({ ownerUrl, role }: TestDatabase): Database {
  return new Database({
    url: ownerUrl,
    role,
    connections: 2,
    pooling: "session",
    statementTimeoutMs: PATIENCE_MS,
    acquireTimeoutMs: PATIENCE_MS,
    synchronousCommit: "off",
    clock: () => new Date(),
  });
}

/** A Redis of the test's own, on a socket in a new folder. */
async function startRedis(): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-redis-"));
  const socket = join(folder, "redis.sock");
  const args = ["--port", "0", "--unixsocket", socket, "--dir", folder, "--save", ""];
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  for await (const line of createInterface(child.stdout)) {
    if (line.includes("eady to accept connections")) break;
  }
  child.stdout.resume();
  return {
    open: (windowMs) => redisWindows(socket, { windowMs, timeoutMs: PATIENCE_MS }),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
