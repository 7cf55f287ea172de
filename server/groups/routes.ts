import type { App } from "../http/app.ts";
import { answers, ref } from "../http/schema.ts";
import {
  archiveGroup,
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  restoreGroup,
  updateGroup,
} from "./groups.ts";
import { listGroupAssignments } from "./assignments.ts";
import {
  DeletedGroup,
  Group,
  GroupAssignments,
  GroupList,
  GroupParams as params,
  GroupUpdate,
  NewGroup,
} from "./schema.ts";

const tags = ["Groups"];
const group = answers(200, ref(Group));

/** /api/v1/groups */
export function registerGroups(app: App): void {
  app.get(
    "/api/v1/groups",
    {
      config: { access: "groups.read" },
      schema: { tags, summary: "List groups", response: answers(200, GroupList) },
    },
    (request) => request.read(listGroups),
  );
  app.post(
    "/api/v1/groups",
    {
      config: { access: "groups.write" },
      schema: { tags, summary: "Create a group", body: NewGroup, response: answers(201, ref(Group)) },
    },
    async (request, reply) => {
      const created = await request.write((tx) => createGroup(tx, request.body));
      return reply.code(201).send(created);
    },
  );
  registerGroup(app);
}

function registerGroup(app: App): void {
  app.get(
    "/api/v1/groups/:group_id",
    { config: { access: "groups.read" }, schema: { tags, summary: "Show a group", params, response: group } },
    (request) => request.read((tx) => getGroup(tx, request.params.group_id)),
  );
  app.put(
    "/api/v1/groups/:group_id",
    {
      config: { access: "groups.write" },
      schema: { tags, summary: "Update a group", params, body: GroupUpdate, response: group },
    },
    (request) => request.write((tx) => updateGroup(tx, request.params.group_id, request.body)),
  );
  app.put(
    "/api/v1/groups/:group_id/archive",
    {
      config: { access: "groups.write" },
      schema: { tags, summary: "Archive a group", params, response: group },
    },
    (request) => request.write((tx) => archiveGroup(tx, request.params.group_id)),
  );
  app.put(
    "/api/v1/groups/:group_id/restore",
    {
      config: { access: "groups.write" },
      schema: { tags, summary: "Restore a group", params, response: group },
    },
    (request) => request.write((tx) => restoreGroup(tx, request.params.group_id)),
  );
  app.delete(
    "/api/v1/groups/:group_id",
    {
      config: { access: "groups.write" },
      schema: { tags, summary: "Delete a group", params, response: answers(200, DeletedGroup) },
    },
    (request) => request.write((tx) => deleteGroup(tx, request.params.group_id)),
  );
  app.get(
    "/api/v1/groups/:group_id/assignments",
    {
      config: { access: "groups.read" },
      schema: {
        tags,
        summary: "List what a group is assigned",
        params,
        response: answers(200, GroupAssignments),
      },
    },
    (request) => request.read((tx) => listGroupAssignments(tx, request.params.group_id)),
  );
}
