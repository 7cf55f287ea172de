import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { isLoopback } from "../http/door.ts";
import { requireMatch } from "../http/match.ts";
import { invalid, notFound } from "../http/problem.ts";
import { requireNoLessThan } from "../roles/limits.ts";
import type { Secrets } from "../secrets.ts";
import { utcTime } from "../time.ts";
import { userEvents } from "../users/events.ts";
import type { NewSingleSignOn, SingleSignOn } from "./v2-schema.ts";

/** A company's provider as it is stored; the secret is sealed. */
export interface Provider {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string | null;
  readonly makes_users: boolean;
  readonly new_user_role_id: number;
  readonly allows_passwords: boolean;
  readonly updated_at: string;
}

/** Whether the company's people may sign in with a password. */
export async function allowsPasswords(tx: Tx): Promise<boolean> {
  const provider = await findProvider(tx);
  return provider?.allows_passwords ?? true;
}

/** The company's provider, if it has one. */
export function findProvider(tx: Tx): Promise<Provider | undefined> {
  return tx.sql
    .selectFrom("identity_providers")
    .select([
      "issuer",
      "client_id",
      "client_secret",
      "makes_users",
      "new_user_role_id",
      "allows_passwords",
      "updated_at",
    ])
    .where("company_id", "=", tx.company.id)
    .executeTakeFirst();
}

/** @throws Problem 404 for a company without single sign-on. */
export async function getProvider(tx: Tx): Promise<Provider> {
  const provider = await findProvider(tx);
  if (provider === undefined) throw notFound("Single sign-on");
  return provider;
}

/** What administrators see of the provider: all but the secret. */
export function showProvider(tx: Tx, provider: Provider): Static<typeof SingleSignOn> {
  const { client_secret, updated_at, ...shown } = provider;
  return {
    ...shown,
    has_client_secret: client_secret !== null,
    redirect_uri: redirectUri(tx),
    updated_at: utcTime(updated_at),
  };
}

/** Where the provider sends people back to: it wants to be told. */
export function redirectUri({ company }: Pick<Tx, "company">): string {
  return `${company.base_url}/api/v2/companies/${company.subdomain}/single_sign_on/callback`;
}

/**
 * Sets up single sign-on. A subject is who it is for its issuer alone, so another issuer unties everybody from theirs;
 * and where passwords are switched off, no link that was sent before sets one.
 * @throws Problem 422 for a role that is none; 403 for one that may more than the caller; 412.
 */
export async function setProvider(
  tx: WriteTx,
  secrets: Secrets,
  { client_secret, ...given }: Static<typeof NewSingleSignOn>,
): Promise<Static<typeof SingleSignOn>> {
  // Before the company, as whoever makes a user does: nobody is tied to the former issuer meanwhile.
  await lockCounters(tx, "users");
  await lockCompany(tx);
  const before = await findProvider(tx);
  if (before !== undefined) requireMatch(tx, showProvider(tx, before), given);
  await requireRole(tx, given.new_user_role_id);
  const provider = {
    ...given,
    client_secret: sealed(secrets, client_secret, before),
    updated_at: tx.now.toISOString(),
  };
  await tx.sql
    .insertInto("identity_providers")
    .values({ company_id: tx.company.id, ...provider })
    .onConflict((oc) => oc.column("company_id").doUpdateSet(provider))
    .execute();
  if (before !== undefined && before.issuer !== given.issuer) await untieAll(tx);
  if (!given.allows_passwords) {
    await tx.sql.deleteFrom("sign_in_links").where("company_id", "=", tx.company.id).execute();
  }
  const after = showProvider(tx, await getProvider(tx));
  await note(tx, { action: "set_single_sign_on", before: before && showProvider(tx, before), after });
  return after;
}

/** Takes single sign-on away; people sign in with passwords again. @throws Problem 404, 412 */
export async function removeProvider(tx: WriteTx): Promise<{ issuer: string }> {
  await lockCompany(tx);
  const before = showProvider(tx, await getProvider(tx));
  requireMatch(tx, before, {});
  await tx.sql.deleteFrom("identity_providers").where("company_id", "=", tx.company.id).execute();
  await note(tx, { action: "remove_single_sign_on", before, after: undefined });
  return { issuer: before.issuer };
}

/**
 * Makes sure that an issuer is an address that the service may ask.
 * @throws Problem 422
 */
export function requireIssuer(issuer: string, allowPlainHttp: boolean): void {
  const url = URL.parse(issuer);
  const isPlainButOwn =
    allowPlainHttp &&
    url?.protocol === "http:" &&
    (url.hostname === "localhost" || isLoopback(url.hostname.replaceAll(/[[\]]/g, "")));
  if (url === null || (url.protocol !== "https:" && !isPlainButOwn)) {
    throw invalid({ field: "issuer", message: "must be an https address" });
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw invalid({ field: "issuer", message: "can't have a user, a ? or a # in it" });
  }
}

/** A secret that is left out stays; null takes it away. */
function sealed(
  secrets: Secrets,
  given: string | null | undefined,
  before: Provider | undefined,
): string | null {
  if (given === undefined) return before?.client_secret ?? null;
  return given === null ? null : secrets.seal("single_sign_on", given);
}

async function lockCompany(tx: WriteTx): Promise<void> {
  await tx.sql
    .selectFrom("companies")
    .select("company_id")
    .where("company_id", "=", tx.company.id)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

async function requireRole(tx: Tx, role_id: number): Promise<void> {
  const role = await tx.sql
    .selectFrom("roles")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", role_id)
    .executeTakeFirst();
  if (role === undefined) {
    throw invalid({ field: "new_user_role_id", message: "names no role of this company" });
  }
  await requireNoLessThan(tx, [role_id]);
}

async function untieAll(tx: WriteTx): Promise<void> {
  const tied = await tx.sql
    .selectFrom("users")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("sso_id", "is not", null)
    .orderBy("id")
    .execute();
  await follow(
    tx,
    userEvents,
    tied.map(({ id }) => id),
  );
  await tx.sql
    .updateTable("users")
    .set({ sso_id: null })
    .where("company_id", "=", tx.company.id)
    .where("sso_id", "is not", null)
    .execute();
}

async function note(
  tx: WriteTx,
  { action, before, after }: { action: string; before: object | undefined; after: object | undefined },
): Promise<void> {
  const resource = { resource_type: "company", resource_id: tx.company.id };
  await audit(tx, {
    action,
    ...resource,
    before: before ?? null,
    after: after ?? null,
    at: tx.now.toISOString(),
  });
}
