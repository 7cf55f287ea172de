import type pg from "pg";
import { OperatorError } from "../operator-error.ts";
import { lackingRole, SERVING_ROLE } from "../db/migrate.ts";

/**
 * Checks that row-level security stands before every table of a company, and that the serving role can't pass it.
 * @throws OperatorError that names what is open: serving then would risk one company's data to another; or that says that
 * the role is missing.
 */
export async function assertWalls(client: Pick<pg.Client, "query">): Promise<void> {
  const { rows: open } = await client.query<{ name: string }>(`
    select c.relname as name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not (
      c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy p where p.polrelid = c.oid)
    )
    order by 1`);
  if (open.length > 0) {
    const names = open.map(({ name }) => name).join(", ");
    throw new OperatorError(`These tables lack the row-level security that keeps companies apart: ${names}`);
  }
  const { rows: roles } = await client.query<{ may_read: boolean; unsafe: boolean }>(
    `select has_table_privilege(oid, 'companies', 'select') as may_read, rolsuper or rolbypassrls or exists (
       select from pg_class where relowner = pg_roles.oid and relnamespace = 'public'::regnamespace
     ) as unsafe
     from pg_roles where rolname = $1`,
    [SERVING_ROLE],
  );
  const [role] = roles;
  if (role?.may_read !== true) throw lackingRole();
  if (role.unsafe) {
    throw new OperatorError(
      `The role ${SERVING_ROLE} must own no table, be no superuser and have no BYPASSRLS, so that row-level security binds it.`,
    );
  }
}
