import { createHash } from "node:crypto";
import { type Company, companyOfId, findCompany } from "../companies/companies.ts";
import type { Database, Tx } from "../db/db.ts";
import { type Viewer, viewerOfGrants, viewerOfRole } from "../privileges/privileges.ts";
import { builtInRoles } from "../users/roles.ts";

/** A person's session, as a request knows it. */
export interface Session {
  readonly id: number;
  readonly user_id: number;
}

export interface SignedIn {
  readonly company: Company;
  readonly session: Session;
  readonly viewer: Viewer;
}

/** A session that nobody used for this long has ended. */
export const IDLE_LIMIT_MS = 12 * 60 * 60 * 1000;

/** Only a hash of the token is stored: 256 random bits need no slow one. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The company that a token says it is of: `<company>.<43 characters>`. */
export function companyOfToken(token: string): number | undefined {
  const company = /^([1-9][0-9]{0,14})\.[A-Za-z0-9_-]{43}$/.exec(token)?.[1];
  return company === undefined ? undefined : Number(company);
}

/**
 * Finds who is signed in with a token.
 * @returns undefined when the session is unknown, has ended, or its user is archived or gone.
 */
export async function findSignedIn(
  database: Database,
  token: string,
  publicUrl: string,
): Promise<SignedIn | undefined> {
  const company_id = companyOfToken(token);
  if (company_id === undefined) return undefined;
  return database.read(companyOfId(company_id), async (tx) => {
    const [company, found] = await Promise.all([findCompany(tx, publicUrl), findSession(tx, token)]);
    if (company === undefined || found === undefined) return undefined;
    const { id, user_id, role_id, privileges } = found;
    return { company, session: { id, user_id }, viewer: viewerOf({ user_id, role_id, privileges }) };
  });
}

function viewerOf(user: { user_id: number; role_id: number; privileges: string[] | null }): Viewer {
  const builtIn = builtInRoles.find(({ id }) => id === user.role_id);
  return builtIn === undefined
    ? viewerOfGrants(user.user_id, user.privileges ?? [])
    : viewerOfRole(user.user_id, builtIn.name);
}

function findSession(tx: Tx, token: string) {
  return tx.sql
    .selectFrom("sessions")
    .innerJoin("users", (join) =>
      join.onRef("users.company_id", "=", "sessions.company_id").onRef("users.id", "=", "sessions.user_id"),
    )
    .innerJoin("roles", (join) =>
      join.onRef("roles.company_id", "=", "users.company_id").onRef("roles.id", "=", "users.role_id"),
    )
    .select(["sessions.id", "sessions.user_id", "users.role_id", "roles.privileges"])
    .where("sessions.company_id", "=", tx.company.id)
    .where("users.company_id", "=", tx.company.id)
    .where("roles.company_id", "=", tx.company.id)
    .where("sessions.hash", "=", hashToken(token))
    .where("sessions.expires_at", ">", tx.now.toISOString())
    .where("sessions.last_seen_at", ">", new Date(tx.now.getTime() - IDLE_LIMIT_MS).toISOString())
    .where("users.archived_at", "is", null)
    .executeTakeFirst();
}
