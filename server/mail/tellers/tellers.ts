import { accountTellers } from "./tell-accounts.ts";
import { administratorTellers } from "./tell-administrators.ts";
import { assignmentTellers } from "./tell-assignments.ts";
import { certificateTellers } from "./tell-certificates.ts";
import { resultTellers } from "./tell-results.ts";
import { signInTellers } from "./tell-sign-in.ts";
import { weeklyTellers } from "./tell-weekly.ts";
import type { Teller } from "./telling.ts";

/** Who makes words of each kind of notice. */
export const tellers: ReadonlyMap<string, Teller> = new Map(
  [
    ...accountTellers,
    ...signInTellers,
    ...assignmentTellers,
    ...resultTellers,
    ...certificateTellers,
    ...administratorTellers,
    ...weeklyTellers,
  ].map((teller) => [teller.kind, teller]),
);
