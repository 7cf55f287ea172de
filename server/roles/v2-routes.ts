import type { App } from "../http/app.ts";
import { listOf } from "../http/cursor.ts";
import { answers, ref } from "../http/schema.ts";
import { createRole, deleteRole, getRole, listPrivileges, listRoles, updateRole } from "./roles.ts";
import { DeletedRole, NewRole, params, PrivilegeItem, Role, RoleQuery, RoleUpdate } from "./v2-schema.ts";

const tags = ["Roles"];
const role = answers(200, ref(Role));

/** /api/v2/roles */
export function registerRolesV2(app: App): void {
  app.get(
    "/api/v2/privileges",
    {
      config: { access: "authenticated" },
      schema: {
        tags,
        summary: "List what roles and keys can be let do",
        response: answers(200, listOf(ref(PrivilegeItem))),
      },
    },
    () => Promise.resolve(listPrivileges()),
  );
  app.get(
    "/api/v2/roles",
    {
      config: { access: "roles.write" },
      schema: {
        tags,
        summary: "List roles",
        querystring: RoleQuery,
        response: answers(200, listOf(ref(Role))),
      },
    },
    (request) => request.read((tx) => listRoles(tx, request.query)),
  );
  app.post(
    "/api/v2/roles",
    {
      config: { access: "roles.write" },
      schema: { tags, summary: "Create a role", body: NewRole, response: answers(201, ref(Role)) },
    },
    async (request, reply) => {
      const created = await request.write((tx) => createRole(tx, request.body));
      return reply.code(201).send(created);
    },
  );
  registerRole(app);
}

function registerRole(app: App): void {
  app.get(
    "/api/v2/roles/:role_id",
    {
      config: { access: "roles.write", editable: true },
      schema: { tags, summary: "Show a role", params, response: role },
    },
    (request) => request.read((tx) => getRole(tx, request.params.role_id)),
  );
  app.patch(
    "/api/v2/roles/:role_id",
    {
      config: { access: "roles.write", editable: true },
      schema: { tags, summary: "Change a role", params, body: RoleUpdate, response: role },
    },
    (request) => request.write((tx) => updateRole(tx, request.params.role_id, request.body)),
  );
  app.delete(
    "/api/v2/roles/:role_id",
    {
      config: { access: "roles.write" },
      schema: { tags, summary: "Delete a role", params, response: answers(200, DeletedRole) },
    },
    (request) => request.write((tx) => deleteRole(tx, request.params.role_id)),
  );
}
