import { Type } from "typebox";
import type { App } from "../http/app.ts";
import { answers, closed, ref } from "../http/schema.ts";
import { UserParams as params } from "../users/schema.ts";
import { assignToUser } from "./assign.ts";
import { type Assignment, toAssignments } from "./assignments.ts";
import { listOfUser } from "./lists.ts";
import { UserAssignBody, UserAssignment } from "./schema.ts";

const tags = ["Users"];
const assignments = Type.Array(ref(UserAssignment));
const Listed = closed({ type: Type.Literal("user_assignments"), assignments });
const Created = closed({ type: Type.Literal("create_user_assignments"), assignments });

/** /api/v1/users/:user_id/assignments */
export function registerUserAssignments(app: App): void {
  app.get(
    "/api/v1/users/:user_id/assignments",
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "List a user's assignments",
        params,
        response: answers(200, Listed),
      },
    },
    (request) =>
      request.read(async (tx) => {
        const found = await listOfUser(tx, request.params.user_id);
        return { type: "user_assignments" as const, assignments: found.map(toUserAssignment) };
      }),
  );
  app.post(
    "/api/v1/users/:user_id/assignments",
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "Assign lessons and paths to a user",
        params,
        body: UserAssignBody,
        response: answers(201, Created),
      },
    },
    async (request, reply) => {
      const assigned = await request.write(async (tx) =>
        toAssignments(tx, await assignToUser(tx, request.params.user_id, request.body)),
      );
      return reply
        .code(201)
        .send({ type: "create_user_assignments", assignments: assigned.map(toUserAssignment) });
    },
  );
}

/** An assignment as the endpoints of a user show it: the answer's schema leaves out what they do not. */
function toUserAssignment(assignment: Assignment): Assignment & { type: "Assignment" } {
  return { ...assignment, type: "Assignment" };
}
