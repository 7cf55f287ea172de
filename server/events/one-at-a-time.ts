import type { Company } from "../companies/companies.ts";
import type { Follower } from "./follow.ts";

interface Turn {
  /** Who it is to run for once more; undefined where nobody has asked since it began. */
  next: Company | undefined;
}

/**
 * Has a follower run for each company once at a time in this process. Who calls it meanwhile has it run once more and does
 * not wait for that, so that a company with much to follow keeps one job busy, not all that there are.
 */
export function oneAtATime(follow: Follower): Follower {
  const running = new Map<number, Turn>();
  return async (company) => {
    const known = running.get(company.id);
    if (known !== undefined) {
      known.next = company;
      return;
    }
    const turn: Turn = { next: company };
    running.set(company.id, turn);
    try {
      await followTurn(follow, turn);
    } finally {
      // At once after the last look at `next`, so that nobody's wish for another round is missed.
      running.delete(company.id);
    }
  };
}

/** @throws what the last run threw; one before it was made good by those that followed. */
async function followTurn(follow: Follower, turn: Turn): Promise<void> {
  while (turn.next !== undefined) {
    const company = turn.next;
    turn.next = undefined;
    try {
      await follow(company);
    } catch (error) {
      if (turn.next === undefined) throw error;
    }
  }
}
