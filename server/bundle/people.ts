import { builtInRoles } from "../users/roles.ts";
import { toEmailKey } from "../users/users.ts";
import { momentOrNull } from "./check.ts";
import type { FirstAdmin } from "./first-admin.ts";
import { type Import, importPart } from "./part.ts";
import { Rows } from "./rows.ts";
import { CustomUserFieldItem, GroupItem, RoleItem, UserItem } from "./schema.ts";
import * as tables from "./tables.ts";
import { wrong } from "./wrong.ts";

/** The ids below are the built-in roles'. */
const FIRST_CUSTOM_ROLE_ID = 100;

/** Imports the custom roles. The built-in ones, which every company has, may stand among them. */
export async function importRoles(job: Import): Promise<number> {
  const roles = new Rows(tables.roles);
  return importPart(job, "roles", {
    schema: RoleItem,
    tables: [roles],
    take({ id, name }, { element, pointer }) {
      const builtIn = builtInRoles.find((role) => role.id === id);
      if (builtIn !== undefined && builtIn.name !== name) {
        throw wrong(
          `${pointer}/name`,
          `must be ${builtIn.name}: that is what the built-in role ${id} is called`,
        );
      }
      if (builtIn !== undefined) return;
      if (id < FIRST_CUSTOM_ROLE_ID) {
        const ids = builtInRoles.map((role) => role.id).join(", ");
        throw wrong(
          `${pointer}/id`,
          `must be a built-in role's (${ids}), or at least ${FIRST_CUSTOM_ROLE_ID}`,
        );
      }
      job.ids.note("roles", id);
      roles.add({ id, name }, element, pointer);
    },
  });
}

/** Imports the custom user fields. */
export async function importCustomUserFields(job: Import): Promise<number> {
  const fields = new Rows(tables.customUserFields);
  return importPart(job, "custom_user_fields", {
    schema: CustomUserFieldItem,
    tables: [fields],
    take({ id, name }, { element, pointer }) {
      job.ids.note("custom_user_fields", id);
      fields.add({ id, name, name_key: name.toLowerCase() }, element, pointer);
    },
  });
}

/** Imports the users with their values of custom fields. */
export async function importUsers(job: Import, admin: FirstAdmin | undefined): Promise<number> {
  const [users, values] = [new Rows(tables.users), new Rows(tables.customUserFieldValues)];
  return importPart(job, "users", {
    schema: UserItem,
    tables: [users, values],
    take(item, { element, pointer }) {
      const email_key = toEmailKey(item.email);
      const ext_uid = item.ext_uid || null;
      if (ext_uid !== null && ext_uid === admin?.ext_uid && email_key !== admin.email_key) {
        throw wrong(`${pointer}/ext_uid`, "is taken by the company's first administrator");
      }
      job.ids.note("users", item.id);
      job.ids.note("users", item.archived_by_user_id);
      users.add(
        {
          id: item.id,
          name: item.name,
          email: item.email,
          email_key,
          role_id: item.role_id,
          ext_uid,
          sso_id: item.sso_id || null,
          job_title: item.job_title ?? null,
          business_unit: item.business_unit ?? null,
          department: item.department ?? null,
          location: item.location ?? null,
          locale: item.locale ?? "en",
          hire_date: item.hire_date ?? null,
          manager_name: item.manager_name ?? null,
          mobile_phone_number: item.mobile_phone_number ?? null,
          archived_at: momentOrNull(item.archived_at),
          archived_by_user_id: item.archived_by_user_id ?? null,
          created_at: momentOrNull(item.created_at) ?? job.at,
        },
        element,
        pointer,
      );
      for (const [index, { id, custom_user_field_id, value }] of (
        item.custom_user_field_data ?? []
      ).entries()) {
        job.ids.note("custom_user_field_values", id);
        values.add(
          { id, user_id: item.id, custom_user_field_id, value },
          element,
          `${pointer}/custom_user_field_data/${index}`,
        );
      }
    },
  });
}

/** Imports what users viewed and completed in the library: after the lessons, paths and courses that they name. */
export async function importLibraryUses(job: Import): Promise<void> {
  const uses = new Rows(tables.libraryUses);
  await importPart(job, "users", {
    schema: UserItem,
    tables: [uses],
    take({ id: user_id, library_uses = [] }, { element, pointer }) {
      for (const [index, { assignable_type, assignable_id, views, completions }] of library_uses.entries()) {
        const row = { user_id, assignable_type, assignable_id, views, completions };
        uses.add(row, element, `${pointer}/library_uses/${index}`);
      }
    },
  });
}

/** Imports the groups and who is in them. */
export async function importGroups(job: Import): Promise<number> {
  const [groups, memberships] = [new Rows(tables.groups), new Rows(tables.memberships)];
  return importPart(job, "groups", {
    schema: GroupItem,
    tables: [groups, memberships],
    take(item, { element, pointer }) {
      const name = item.name.trim();
      if (name === "") throw wrong(`${pointer}/name`, "can't be empty");
      job.ids.note("groups", item.id);
      job.ids.note("users", item.archived_by_user_id);
      const row = {
        id: item.id,
        name,
        archived_at: momentOrNull(item.archived_at),
        archived_by_user_id: item.archived_by_user_id ?? null,
        created_at: momentOrNull(item.created_at) ?? job.at,
      };
      groups.add(row, element, pointer);
      for (const [role, key] of [
        ["member", "members"],
        ["manager", "managers"],
      ] as const) {
        for (const [index, { id }] of item[key].entries()) {
          memberships.add({ group_id: item.id, role, user_id: id }, element, `${pointer}/${key}/${index}`);
        }
      }
    },
  });
}
