import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import type { Caller } from "../http/auth.ts";
import { unauthorized } from "../http/problem.ts";
import { privilegeNames } from "../privileges/privileges.ts";
import type { Me, SignedInUser } from "./v2-schema.ts";

/** Who calls, and what they may. @throws Problem 401 for a user who is gone in this moment. */
export async function getMe(tx: Tx, { key, session }: Caller): Promise<Static<typeof Me>> {
  const company = await tx.sql
    .selectFrom("companies")
    .select(["company_id as id", "subdomain", "name", "time_zone"])
    .where("company_id", "=", tx.company.id)
    .executeTakeFirstOrThrow();
  return {
    user: session === null ? null : await getSignedInUser(tx, session.user_id),
    session_id: session?.id ?? null,
    api_key: key === null ? null : { id: key.id, prefix: key.prefix },
    privileges: privilegeNames.flatMap((privilege) => {
      const scope = tx.viewer.scope(privilege);
      return scope === undefined ? [] : [{ privilege, scope }];
    }),
    company,
  };
}

/** A person as their own answer shows them. @throws Problem 401 for one who is gone. */
export async function getSignedInUser(tx: Tx, user_id: number): Promise<Static<typeof SignedInUser>> {
  const user = await tx.sql
    .selectFrom("users")
    .innerJoin("roles", (join) =>
      join.onRef("roles.company_id", "=", "users.company_id").onRef("roles.id", "=", "users.role_id"),
    )
    .select(["users.id", "users.name", "users.email", "roles.name as role", "users.role_id", "users.locale"])
    .where("users.company_id", "=", tx.company.id)
    .where("roles.company_id", "=", tx.company.id)
    .where("users.id", "=", user_id)
    .executeTakeFirst();
  if (user === undefined) throw unauthorized();
  return user;
}
