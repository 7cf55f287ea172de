import { lockCounters, kinds, moveCounter } from "../db/counters.ts";
import { audit } from "../db/audit.ts";
import type { Actor, Database, WriteTx } from "../db/db.ts";
import { addToLists } from "../db/lists.ts";
import { ADMIN_ROLE_ID, builtInRoles } from "../users/roles.ts";
import { OperatorError } from "../operator-error.ts";
import { toEmailKey } from "../users/users.ts";
import { createApiKey } from "./api-keys.ts";
import { companyOfId, takeCompanyId } from "./companies.ts";

export interface NewCompany {
  readonly subdomain: string;
  readonly name: string;
  readonly time_zone: string;
  readonly requests_per_minute: number;
  readonly has_api: boolean;
  readonly has_learning_library: boolean;
  readonly admin: {
    readonly name: string;
    readonly email: string;
    /** As hashPassword made it. */
    readonly password_hash: string;
  };
}

export interface CreatedCompany {
  readonly company: { readonly id: number; readonly subdomain: string };
  readonly admin: { readonly id: number; readonly email: string };
  readonly api_key: string;
}

/** The contract's limit, unless an operator sets another. */
export const DEFAULT_REQUESTS_PER_MINUTE = 500;

/** A write that an operator's command makes. */
export const commandActor: Actor = { type: "command", id: null, user_id: null, request_id: null };

/**
 * Makes a company with its first administrator and a key. All of it, or nothing.
 * @throws OperatorError when the subdomain is taken.
 */
export async function createCompany(database: Database, given: NewCompany): Promise<CreatedCompany> {
  const id = await takeCompanyId(database);
  return database.write(companyOfId(id), commandActor, async (tx) => {
    await takeSubdomain(tx, given.subdomain);
    const created_at = await insertCompany(tx, given);
    const admin = await createAdmin(tx, { ...given.admin, created_at });
    const { key } = await createApiKey(tx, { name: "First key", made_by_user_id: null });
    await audit(tx, {
      action: "create_company",
      resource_type: "company",
      resource_id: id,
      after: { subdomain: given.subdomain, name: given.name },
      at: created_at,
    });
    return {
      company: { id, subdomain: given.subdomain },
      admin: { id: admin, email: given.admin.email },
      api_key: key,
    };
  });
}

async function takeSubdomain(tx: WriteTx, subdomain: string): Promise<void> {
  const taken = await tx.sql
    .insertInto("subdomains")
    .values({ subdomain, company: tx.company.id })
    .onConflict((conflict) => conflict.column("subdomain").doNothing())
    .returning("company")
    .executeTakeFirst();
  if (taken !== undefined) return;
  throw new OperatorError(
    `The subdomain ${subdomain} is taken. Choose another, or see: lectern company list`,
  );
}

async function insertCompany(tx: WriteTx, { admin: _admin, ...columns }: NewCompany): Promise<string> {
  const company_id = tx.company.id;
  const created_at = tx.now.toISOString();
  await tx.sql
    .insertInto("companies")
    .values({ company_id, ...columns, created_at })
    .execute();
  await tx.sql
    .insertInto("counters")
    .values(kinds.map((kind) => ({ company_id, kind, last_id: 0, total: 0, moved_at: created_at })))
    .execute();
  await tx.sql
    .insertInto("roles")
    .values(builtInRoles.map((role) => ({ company_id, ...role })))
    .execute();
  return created_at;
}

async function createAdmin(
  tx: WriteTx,
  { name, email, password_hash, created_at }: NewCompany["admin"] & { readonly created_at: string },
): Promise<number> {
  const company_id = tx.company.id;
  const at = await lockCounters(tx, "users");
  const id = await moveCounter(tx, { kind: "users", ids: 1, total: 1, at });
  await tx.sql
    .insertInto("users")
    .values({
      company_id,
      id,
      name,
      email,
      email_key: toEmailKey(email),
      role_id: ADMIN_ROLE_ID,
      locale: "en",
      created_at,
    })
    .execute();
  await addToLists(tx, [{ list: "users", ids: [id] }]);
  await tx.sql
    .insertInto("passwords")
    .values({ company_id, user_id: id, hash: password_hash, changed_at: created_at })
    .execute();
  return id;
}
