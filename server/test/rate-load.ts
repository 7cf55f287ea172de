import { setTimeout as sleep } from "node:timers/promises";
import type { CommandResult, RunningLectern, Settings } from "./lectern.ts";
import { basic, runCommand } from "./lectern.ts";

/** An answer to a caller who asks far too often. */
export interface Taken {
  /** When it was asked, in the time of performance.now(). */
  readonly askedMs: number;
  readonly admitted: boolean;
  readonly remaining: number;
}

const CLIENTS = 16;
/** Who is refused goes on asking, but not without a pause. */
const REFUSED_PAUSE_MS = 50;

/** Who asks now and then gets as many answers at least, however slow the machine is. */
const FEWEST_ANSWERS = 5;

/** A machine that is too slow to reach the limit for so long tests nothing: a window is a minute. */
const REACHED_WITHIN_MS = 40_000;

/** Asks from many clients at once, each as fast as it gets answers, for as long as is said and until one is refused. */
export async function askTooOften(
  lectern: RunningLectern,
  { authorization, forMs }: { readonly authorization: string; readonly forMs: number },
): Promise<Taken[]> {
  const began = performance.now();
  const taken: Taken[] = [];
  let isRefused = false;
  const client = async (): Promise<void> => {
    while (performance.now() < began + (isRefused ? forMs : REACHED_WITHIN_MS)) {
      const answer = await ask(lectern, authorization);
      taken.push(answer);
      if (answer.admitted) continue;
      isRefused = true;
      await sleep(REFUSED_PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return taken;
}

/** Asks four times a second, which no limit is below, for as long as is said and until a few answers have come. */
export async function askNowAndThen(
  lectern: RunningLectern,
  { authorization, forMs }: { readonly authorization: string; readonly forMs: number },
): Promise<Taken[]> {
  const until = performance.now() + forMs;
  const taken: Taken[] = [];
  while (performance.now() < until || taken.length < FEWEST_ANSWERS) {
    taken.push(await ask(lectern, authorization));
    await sleep(250);
  }
  return taken;
}

async function ask(lectern: RunningLectern, authorization: string): Promise<Taken> {
  const askedMs = performance.now();
  const { status, body, headers } = await lectern.request("/api/v1/ping", { authorization });
  const limit = String(headers["ratelimit"]);
  const remaining = Number(/;r=(\d+);/.exec(limit)?.[1]);
  if (status === 200) return { askedMs, admitted: true, remaining };
  if (status === 403 && body.error === "Rate Limit Exceeded" && Number(headers["retry-after"]) > 0) {
    return { askedMs, admitted: false, remaining };
  }
  throw new Error(`${status}: ${JSON.stringify(body)}`);
}

/** Makes a company with the usual limit. @returns what authorizes its requests. */
export async function makeCaller(settings: Settings, subdomain: string): Promise<string> {
  const words = `--name ${subdomain} --admin-name Ada --admin-email ada@${subdomain}.test --admin-password correct-horse`;
  const line = `company create --subdomain ${subdomain} ${words} --json`;
  const { stdout }: CommandResult = await runCommand(settings, line.split(" "));
  return basic(subdomain, JSON.parse(stdout).api_key);
}
