import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { FieldError } from "../http/problem.ts";
import type { Privilege } from "../privileges/privileges.ts";
import { toEmailKey } from "../users/users.ts";
import { isVisibleUser } from "../users/visible.ts";

/** How a row names a user. */
interface Naming {
  readonly user_id?: number;
  readonly email?: string;
  readonly ext_uid?: string;
}

/** A user whom rows name. */
interface NamedUser {
  readonly id: number;
  readonly email_key: string;
  readonly ext_uid: string | null;
  readonly archived_at: string | null;
}

/** Finds the users whom rows name. @returns for each row the user, or what is wrong with the name. */
export async function findNamed(
  tx: Tx,
  privilege: Privilege,
  namings: readonly Naming[],
): Promise<(NamedUser | FieldError)[]> {
  const users = await selectNamed(tx, privilege, namings);
  const byId = new Map(users.map((user) => [user.id, user]));
  const byEmail = new Map(users.map((user) => [user.email_key, user]));
  const byExtUid = new Map(users.map((user) => [user.ext_uid, user]));
  return namings.map(({ user_id, email, ext_uid }) => {
    const message = "names no user of this company";
    if (user_id !== undefined) return byId.get(user_id) ?? { field: "user_id", message };
    if (email !== undefined) return byEmail.get(toEmailKey(email)) ?? { field: "email", message };
    return byExtUid.get(ext_uid ?? null) ?? { field: "ext_uid", message };
  });
}

async function selectNamed(tx: Tx, privilege: Privilege, namings: readonly Naming[]): Promise<NamedUser[]> {
  const ids = namings.flatMap(({ user_id = [] }) => user_id);
  const emails = namings.flatMap(({ email }) => (email === undefined ? [] : toEmailKey(email)));
  const extUids = namings.flatMap(({ ext_uid = [] }) => ext_uid);
  const { rows } = await sql<NamedUser>`
    select id, email_key, ext_uid, archived_at
    from users
    where company_id = ${tx.company.id}
      and (id = any(${ids}::bigint[]) or email_key = any(${emails}::text[]) or ext_uid = any(${extUids}::text[]))
      and ${isVisibleUser(tx, privilege, sql.ref<number>("users.id"))}`.execute(tx.sql);
  return rows;
}

/** Whether what was found is an error. */
export function isWrong(found: object): found is FieldError {
  return "message" in found;
}
