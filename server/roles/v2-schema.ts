import { Type, type Static } from "typebox";
import { CursorQuery } from "../http/cursor.ts";
import { closed, component, Id, nullable } from "../http/schema.ts";
import { privilegeNames } from "../privileges/privileges.ts";

export const params = Type.Object({ role_id: Id });
export const RoleQuery = Type.Object(CursorQuery);

const name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^\\S(.*\\S)?$",
  description: "Can't begin or end with a space.",
});

/** What a role or a key may do: each privilege with how far it reaches, where that is less than all it can. */
export const Grants = Type.Array(
  Type.String({
    maxLength: 100,
    description: "A privilege, such as `users.read`, or with its reach, such as `users.read:managed`.",
    examples: ["users.read:managed"],
  }),
  // Once with each reach is more than enough.
  { maxItems: privilegeNames.length * 3 },
);

export const Role = component(
  "Role",
  closed({
    id: Id,
    name: Type.String(),
    built_in: Type.Boolean({ description: "Whether every company has it; then it can't be changed." }),
    privileges: Grants,
  }),
);
export type Role = Static<typeof Role>;

export const NewRole = closed(
  { name, privileges: Grants },
  { examples: [{ name: "Coach", privileges: ["users.read:managed", "reports.read:managed", "learn"] }] },
);
export const RoleUpdate = closed({ name: Type.Optional(name), privileges: Type.Optional(Grants) });

export const DeletedRole = closed({ id: Id });

const scope = nullable(Type.String(), { description: "How far it reaches; null where the role lacks it." });

/** What can be given to roles and keys. */
export const PrivilegeItem = component(
  "Privilege",
  closed({
    name: Type.String(),
    means: Type.String(),
    reaches: Type.Array(Type.String(), {
      description: "The reaches it can be given with, the widest first.",
    }),
    built_in_roles: closed({ admin: scope, creator: scope, manager: scope, learner: scope }),
  }),
);
