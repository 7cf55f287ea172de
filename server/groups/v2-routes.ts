import type { App } from "../http/app.ts";
import { answers, ref } from "../http/schema.ts";
import { deleteGroup } from "./groups.ts";
import {
  archiveGroupProfile,
  createGroupProfile,
  getGroupProfile,
  listGroupProfiles,
  restoreGroupProfile,
  updateGroupProfile,
} from "./group-profiles.ts";
import { previewRule } from "./preview.ts";
import { GroupParams as params } from "./schema.ts";
import { registerGroupAssignmentsV2 } from "./v2-assignment-routes.ts";
import { registerGroupMembersV2 } from "./v2-member-routes.ts";
import {
  Deleted,
  GroupProfile,
  GroupProfiles,
  GroupProfileUpdate,
  GroupsQuery,
  NewGroupProfile,
  RulePreview,
  RulePreviewBody,
} from "./v2-schema.ts";
import { requireVisibleGroup } from "./visible.ts";

const tags = ["Groups"];
const group = answers(200, ref(GroupProfile));

/** /api/v2/groups */
export function registerGroupsV2(app: App): void {
  registerCollection(app);
  registerSingle(app);
  registerStates(app);
  registerGroupMembersV2(app);
  registerGroupAssignmentsV2(app);
}

function registerCollection(app: App): void {
  app.get(
    "/api/v2/groups",
    {
      config: { access: "groups.read" },
      schema: {
        tags,
        summary: "List groups that one may see",
        querystring: GroupsQuery,
        response: answers(200, GroupProfiles),
      },
    },
    (request) => request.read((tx) => listGroupProfiles(tx, request.query)),
  );
  app.post(
    "/api/v2/groups",
    {
      config: { access: "groups.write" },
      schema: {
        tags,
        summary: "Make a group, filled by people or by a rule",
        body: NewGroupProfile,
        response: answers(201, ref(GroupProfile)),
      },
    },
    (request, reply) => {
      reply.code(201);
      return request.write((tx) => createGroupProfile(tx, request.body));
    },
  );
  app.post(
    "/api/v2/groups/preview_rule",
    {
      config: { access: "groups.write" },
      schema: {
        tags,
        summary: "Preview who would join and leave a group by a rule",
        body: RulePreviewBody,
        response: answers(200, ref(RulePreview)),
      },
    },
    (request) => request.read((tx) => previewRule(tx, request.body)),
  );
}

function registerSingle(app: App): void {
  app.get(
    "/api/v2/groups/:group_id",
    {
      config: { access: "groups.read", editable: true },
      schema: { tags, summary: "Show a group and its rule", params, response: group },
    },
    (request) => request.read((tx) => getGroupProfile(tx, request.params.group_id)),
  );
  app.patch(
    "/api/v2/groups/:group_id",
    {
      config: { access: "groups.write", editable: true },
      schema: {
        tags,
        summary: "Change a group's name or rule",
        params,
        body: GroupProfileUpdate,
        response: group,
      },
    },
    (request) => request.write((tx) => updateGroupProfile(tx, request.params.group_id, request.body)),
  );
  app.delete(
    "/api/v2/groups/:group_id",
    {
      config: { access: "groups.write" },
      schema: {
        tags,
        summary: "Delete a group; its members keep their assignments",
        params,
        response: answers(200, Deleted),
      },
    },
    (request) =>
      request.write(async (tx) => {
        const id = request.params.group_id;
        await requireVisibleGroup(tx, "groups.write", id);
        await deleteGroup(tx, id);
        return { id };
      }),
  );
}

function registerStates(app: App): void {
  app.post(
    "/api/v2/groups/:group_id/archive",
    {
      config: { access: "groups.write" },
      schema: { tags, summary: "Archive a group and rest its rule", params, response: group },
    },
    (request) => request.write((tx) => archiveGroupProfile(tx, request.params.group_id)),
  );
  app.post(
    "/api/v2/groups/:group_id/restore",
    {
      config: { access: "groups.write" },
      schema: { tags, summary: "Restore a group and apply its rule", params, response: group },
    },
    (request) => request.write((tx) => restoreGroupProfile(tx, request.params.group_id)),
  );
}
