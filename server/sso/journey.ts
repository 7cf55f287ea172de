import type { Secrets } from "../secrets.ts";
import type { Journey } from "./flow.ts";

/** Seals a journey for the browser's cookie, which neither reads nor changes it. */
export function sealJourney(secrets: Secrets, journey: Journey, untilMs: number): string {
  const { company, state, nonce, verifier } = journey;
  return secrets.seal(
    "single_sign_on",
    JSON.stringify(["journey", company, state, nonce, verifier, untilMs]),
  );
}

/** @returns undefined for a cookie that is missing, was not sealed here, or is too old. */
export function openJourney(secrets: Secrets, cookie: string | undefined, now: Date): Journey | undefined {
  const text = cookie === undefined ? undefined : secrets.open("single_sign_on", cookie);
  if (text === undefined) return undefined;
  const parts: unknown = JSON.parse(text);
  if (!Array.isArray(parts) || parts[0] !== "journey" || Number(parts[5]) <= now.getTime()) return undefined;
  const [, company, state, nonce, verifier] = parts;
  return { company: Number(company), state: String(state), nonce: String(nonce), verifier: String(verifier) };
}
