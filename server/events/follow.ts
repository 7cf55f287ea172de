import { companyOfId, type Company, findCompany, listSubdomains } from "../companies/companies.ts";
import type { Database } from "../db/db.ts";

/** Makes something of a company's new events. It knows its own position in the feed, so it may be called at any time. */
export type Follower = (company: Company) => Promise<void>;

export interface Following {
  readonly database: Database;
  /** What links begin with. */
  readonly publicUrl: string;
  readonly followers: readonly Follower[];
}

/** Companies that a sweep looks at side by side: most have nothing new, and one that has much delays no other. */
const SWEEP_WIDTH = 4;

/** Tells every follower of a company's new events. One that fails keeps no other from them. @throws what they threw. */
export async function followEvents(
  { database, publicUrl, followers }: Following,
  company_id: number,
): Promise<void> {
  const company = await database.read(companyOfId(company_id), (tx) => findCompany(tx, publicUrl));
  if (company === undefined) return;
  const results = await Promise.allSettled(followers.map((follow) => follow(company)));
  const errors: unknown[] = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join("; "));
}

/** Does so for every company: finds what no nudge told of, and what a killed process left. */
export async function sweepEvents(following: Following, signal?: AbortSignal): Promise<void> {
  const companies = await listSubdomains(following.database);
  const errors: unknown[] = [];
  const sweep = async (): Promise<void> => {
    for (let next = companies.pop(); next !== undefined; next = companies.pop()) {
      if (signal?.aborted === true) return;
      await followEvents(following, next.company).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: SWEEP_WIDTH }, sweep));
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join("; "));
}
