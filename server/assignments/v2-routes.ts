import type { Static } from "typebox";
import type { WriteTx } from "../db/db.ts";
import type { App } from "../http/app.ts";
import { answers, ref } from "../http/schema.ts";
import { assignToUsers } from "./assign.ts";
import { getDetails, listDetails, listDetailsOf, toDetails, WHOLE } from "./details.ts";
import { reassignAssignment, removeAssignment, updateAssignment } from "./edit.ts";
import { getHistory } from "./history.ts";
import {
  AssignmentChange,
  AssignmentDetails,
  AssignmentDetailsList,
  AssignmentHistory,
  AssignmentParams as params,
  AssignmentsQuery,
  MadeAssignments,
  NewAssignments,
  RemovedAssignment,
} from "./v2-schema.ts";

const tags = ["Assignments"];
const url = "/api/v2/assignments/:assignment_id";
const details = answers(200, ref(AssignmentDetails));

/** /api/v2/assignments */
export function registerAssignmentsV2(app: App): void {
  registerLists(app);
  registerEditing(app);
}

function registerLists(app: App): void {
  app.get(
    "/api/v2/assignments",
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "List assignments",
        querystring: AssignmentsQuery,
        response: answers(200, AssignmentDetailsList),
      },
    },
    (request) => request.read((tx) => listDetails(tx, request.query)),
  );
  app.post(
    "/api/v2/assignments",
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "Assign a lesson, path or course to users",
        description: "Who has completed it gets it anew; who has it otherwise keeps what they have.",
        body: NewAssignments,
        response: answers(201, MadeAssignments),
      },
    },
    async (request, reply) => {
      const made = await request.write((tx) => assign(tx, request.body));
      return reply.code(201).send(made);
    },
  );
  app.get(
    `${url}/history`,
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "Show an assignment through all times that it was assigned anew",
        params,
        response: answers(200, AssignmentHistory),
      },
    },
    (request) => request.read((tx) => getHistory(tx, request.params.assignment_id)),
  );
}

function registerEditing(app: App): void {
  app.get(
    url,
    {
      config: { access: "assignments.read", editable: true },
      schema: { tags, summary: "Show an assignment", params, response: details },
    },
    (request) =>
      request.read(async (tx) => {
        const row = await getDetails(tx, "assignments.read", request.params.assignment_id);
        return toDetails(tx, row, WHOLE);
      }),
  );
  app.patch(
    url,
    {
      config: { access: "assignments.write", editable: true },
      schema: {
        tags,
        summary: "Change an assignment's due date",
        params,
        body: AssignmentChange,
        response: details,
      },
    },
    (request) => request.write((tx) => updateAssignment(tx, request.params.assignment_id, request.body)),
  );
  app.delete(
    url,
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "Take an assignment away",
        description: "Its progress and results go with it; the learner's attempts and report cards stay.",
        params,
        response: answers(200, RemovedAssignment),
      },
    },
    (request) => request.write((tx) => removeAssignment(tx, request.params.assignment_id)),
  );
  app.post(
    `${url}/reassign`,
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "Assign anew what is completed",
        params,
        body: AssignmentChange,
        response: details,
      },
    },
    (request) => request.write((tx) => reassignAssignment(tx, request.params.assignment_id, request.body)),
  );
}

async function assign(
  tx: WriteTx,
  body: Static<typeof NewAssignments>,
): Promise<Static<typeof MadeAssignments>> {
  const { assignable_type, assignable_id } = body;
  const rows = await assignToUsers(tx, { assignable_type, assignable_id }, body);
  return {
    data: await listDetailsOf(
      tx,
      rows.map(({ id }) => id),
    ),
  };
}
