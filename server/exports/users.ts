import { encodeCursor } from "../http/cursor.ts";
import { listProfiles } from "../users/profile-lists.ts";
import type { UserProfile, UserProfileQuery } from "../users/v2-schema.ts";
import type { Row } from "./csv.ts";
import type { Exported } from "./stream.ts";

export const userColumns = [
  "id",
  "name",
  "email",
  "role_id",
  "role",
  "ext_uid",
  "sso_id",
  "job_title",
  "business_unit",
  "department",
  "location",
  "locale",
  "hire_date",
  "manager_name",
  "mobile_phone_number",
  "created_at",
  "archived_at",
  "last_sign_in_at",
  "custom_user_fields",
  "groups",
  "managing",
] as const;

/** The users that the viewer may see, by id, as the list has them. */
export function exportUsers(filters: UserProfileQuery): Exported<number, UserProfile> {
  const query = { ...filters, sort: "id", include: "groups,custom_user_fields" } as const;
  return {
    read: async (tx, after = 0, limit) => {
      const { data } = await listProfiles(tx, { ...query, limit, cursor: encodeCursor([after]) });
      return data;
    },
    position: ({ id }) => id,
    show: ({ custom_user_fields = [], groups, ...user }): Row => ({
      ...user,
      last_sign_in_at: user.last_sign_in_at ?? null,
      custom_user_fields: Object.fromEntries(custom_user_fields.map(({ name, value }) => [name, value])),
      groups: (groups?.member ?? []).map(({ name }) => name),
      managing: (groups?.manager ?? []).map(({ name }) => name),
    }),
  };
}
