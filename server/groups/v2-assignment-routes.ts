import type { App } from "../http/app.ts";
import { answers, ref } from "../http/schema.ts";
import { assignToGroup, endGroupAssignment, listGivenByGroup } from "./give.ts";
import { GroupParams as params } from "./schema.ts";
import {
  GroupAssignment,
  GroupAssignmentParams,
  GroupAssignmentsPage,
  GroupAssignmentsQuery,
  NewGroupAssignment,
} from "./v2-assignment-schema.ts";
import { Deleted } from "./v2-schema.ts";

const tags = ["Groups"];

/** /api/v2/groups/:group_id/assignments */
export function registerGroupAssignmentsV2(app: App): void {
  app.get(
    "/api/v2/groups/:group_id/assignments",
    {
      config: { access: "groups.read" },
      schema: {
        tags,
        summary: "List what a group assigns to its members",
        params,
        querystring: GroupAssignmentsQuery,
        response: answers(200, GroupAssignmentsPage),
      },
    },
    (request) => request.read((tx) => listGivenByGroup(tx, request.params.group_id, request.query)),
  );
  app.post(
    "/api/v2/groups/:group_id/assignments",
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "Assign to a group's members, and to everyone who joins",
        params,
        body: NewGroupAssignment,
        response: answers(201, ref(GroupAssignment)),
      },
    },
    (request, reply) => {
      reply.code(201);
      return request.write((tx) => assignToGroup(tx, request.params.group_id, request.body));
    },
  );
  app.delete(
    "/api/v2/groups/:group_id/assignments/:group_assignment_id",
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "End that a group assigns something to who joins",
        params: GroupAssignmentParams,
        response: answers(200, Deleted),
      },
    },
    (request) => request.write((tx) => endGroupAssignment(tx, request.params)),
  );
}
