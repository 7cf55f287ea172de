import { Redis } from "ioredis";
import { WINDOW_MS, type WindowStore } from "./limits.ts";
import { unavailable } from "./problem.ts";

/** Redis answers within a millisecond: one that takes longer than this is away. */
const REDIS_TIMEOUT_MS = 2_000;
const REDIS_RETRIES = 1;
/** Seconds after which a caller may try again when Redis is away. */
const RETRY_AFTER_SECONDS = 5;
const REDIS_PREFIX = "lectern:rate:";
/** The key holds what is used, and expires when the window ends. */
const GRANT_SCRIPT = `
local tokens, limit, window_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local remaining_ms = redis.call('PTTL', KEYS[1])
if remaining_ms <= 0 then
  redis.call('SET', KEYS[1], 0, 'PX', window_ms)
  remaining_ms = window_ms
end
local used = tonumber(redis.call('GET', KEYS[1]))
local granted = math.max(0, math.min(tokens, limit - used))
redis.call('INCRBY', KEYS[1], granted)
return {granted, used + granted, remaining_ms}`;

interface RedisWindowsOptions {
  readonly windowMs?: number | undefined;
  /** How long a request waits for Redis before it fails; 2 s unless said. */
  readonly timeoutMs?: number;
}

/** Windows in the Redis or Valkey at a URL, with one connection. */
export function redisWindows(
  url: string,
  { windowMs = WINDOW_MS, timeoutMs = REDIS_TIMEOUT_MS }: RedisWindowsOptions = {},
): WindowStore {
  const redis = new Redis(url, { commandTimeout: timeoutMs, maxRetriesPerRequest: REDIS_RETRIES });
  // It reconnects by itself; a request that can't wait for that fails with an error of its own.
  redis.on("error", () => undefined);
  return {
    grant: async ({ bucket, tokens, limit }) => {
      const reply = await redis
        .eval(GRANT_SCRIPT, 1, REDIS_PREFIX + bucket, tokens, limit, windowMs)
        .catch((error: unknown) => {
          throw unavailable("Requests can't be counted now: try again later", RETRY_AFTER_SECONDS, error);
        });
      const [granted, used, remainingMs] = Array.isArray(reply) ? reply.map(Number) : [];
      if (granted === undefined || used === undefined || remainingMs === undefined) {
        throw new Error("Redis answered with something else than a grant");
      }
      return { granted, used, remainingMs };
    },
    [Symbol.asyncDispose]: async () => redis.disconnect(),
  };
}
