import { createHash } from "node:crypto";
import { sql } from "kysely";
import { type Company, companyOfId, findCompany } from "../companies/companies.ts";
import type { Database, Tx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
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

interface Found {
  readonly id: number;
  readonly user_id: number;
  readonly role_id: number;
  readonly privileges: string[] | null;
}

async function findSession(tx: Tx, token: string): Promise<Found | undefined> {
  const [row] = await selectSession(tx, {
    company_id: tx.company.id,
    hash: hashToken(token),
    now: tx.now.toISOString(),
    idle_since: new Date(tx.now.getTime() - IDLE_LIMIT_MS).toISOString(),
  });
  return row;
}

/**
 * The session is found by its hash first, and what it refers to by keys after that: OFFSET 0 keeps PostgreSQL from
 * another order, as it had for tables that it had not looked at yet, where it read every session of the company.
 */
const selectSession = prepare<{ company_id: number; hash: Buffer; now: string; idle_since: string }, Found>(
  (_db, place) => sql<Found>`
    select found.id, found.user_id, users.role_id, roles.privileges
    from (
      select id, user_id, expires_at, last_seen_at from sessions
      where company_id = ${place("company_id")} and hash = ${place("hash")}
      offset 0
    ) found
    cross join lateral (
      select role_id, archived_at from users
      where company_id = ${place("company_id")} and id = found.user_id
      offset 0
    ) users
    cross join lateral (
      select privileges from roles
      where company_id = ${place("company_id")} and id = users.role_id
      offset 0
    ) roles
    where found.expires_at > ${place("now")} and found.last_seen_at > ${place("idle_since")}
      and users.archived_at is null`,
);
