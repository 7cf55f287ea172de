import { serializePlainly } from "../http/answer.ts";
import type { App } from "../http/app.ts";
import { answers } from "../http/schema.ts";
import { getMyAssignment, listMyAssignments } from "./mine.ts";
import { AssignmentParams, MyAssignmentDetails, MyAssignments, MyAssignmentsQuery } from "./v2-schema.ts";

const tags = ["Assignments"];
const config = { access: "learn" } as const;

/** /api/v2/my/assignments */
export function registerMyAssignments(app: App): void {
  app.get(
    "/api/v2/my/assignments",
    {
      config,
      schema: {
        tags,
        summary: "List what one is assigned, what is due first before all else",
        querystring: MyAssignmentsQuery,
        response: answers(200, MyAssignments),
      },
    },
    (request) => request.read((tx) => listMyAssignments(tx, request.query)),
  );
  app.get(
    "/api/v2/my/assignments/:assignment_id",
    {
      config,
      // A path's steps nest to any depth.
      serializerCompiler: serializePlainly,
      schema: {
        tags,
        summary: "Show one's own assignment, with the steps of a path and what is locked until when",
        params: AssignmentParams,
        response: answers(200, MyAssignmentDetails),
      },
    },
    (request) => request.read((tx) => getMyAssignment(tx, request.params.assignment_id)),
  );
}
