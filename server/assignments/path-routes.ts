import { PathParams as params } from "../paths/schema.ts";
import type { Static } from "typebox";
import { Type } from "typebox";
import type { WriteTx } from "../db/db.ts";
import type { App } from "../http/app.ts";
import { readPage, toEnvelope } from "../http/page.ts";
import { answers, closed, ref } from "../http/schema.ts";
import { assignThing } from "./assign.ts";
import { type Thing, toAssignments } from "./assignments.ts";
import { getCompleted, getCompletions } from "./completions.ts";
import { listOfThing } from "./lists.ts";
import { toAnswer } from "./pages.ts";
import { AssignBody, AssignedThing, completedCount, completionCount, pageOf, PagedQuery } from "./schema.ts";

const tags = ["Paths"];
const Assigned = closed({
  type: Type.Literal("update_path_assignments"),
  assignments: Type.Array(ref(AssignedThing)),
});

/** /api/v1/paths/:path_id/assignments, and how many have completed a path */
export function registerPathAssignments(app: App): void {
  registerAssigning(app);
  registerCounts(app);
}

function registerAssigning(app: App): void {
  const url = "/api/v1/paths/:path_id/assignments";
  app.get(
    url,
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "List the assignments of a path",
        params,
        querystring: PagedQuery,
        response: answers(200, pageOf("path_assignments")),
      },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const found = await request.read((tx) => listOfThing(tx, page, path(request.params)));
      return toAnswer("path_assignments", found, toEnvelope({ request, reply }, page, found));
    },
  );
  app.put(
    url,
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "Assign a path to users",
        params,
        body: AssignBody,
        response: answers(200, Assigned),
      },
    },
    (request) => request.write((tx) => assignPath(tx, request.params, request.body)),
  );
  app.post(
    url,
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "Assign a path to users, as PUT does",
        params,
        body: AssignBody,
        response: answers(201, Assigned),
      },
    },
    async (request, reply) => {
      const assigned = await request.write((tx) => assignPath(tx, request.params, request.body));
      return reply.code(201).send(assigned);
    },
  );
}

function registerCounts(app: App): void {
  app.get(
    "/api/v1/paths/:path_id/assignments/completed",
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "Count the assignments of a path that are completed",
        params,
        response: answers(200, completedCount("path_assignments_completed")),
      },
    },
    (request) => request.read((tx) => getCompleted(tx, "path_assignments_completed", path(request.params))),
  );
  app.get(
    "/api/v1/paths/:path_id/total_completions",
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "Count the learners who have completed a path",
        params,
        response: answers(200, completionCount("path_total_completion_count")),
      },
    },
    (request) =>
      request.read((tx) => getCompletions(tx, "path_total_completion_count", path(request.params))),
  );
}

async function assignPath(tx: WriteTx, ids: Ids, body: AssignBody) {
  const rows = await assignThing(tx, path(ids), body);
  return { type: "update_path_assignments" as const, assignments: toAssignments(tx, rows) };
}

type Ids = Static<typeof params>;

function path({ path_id }: Ids): Thing {
  return { assignable_type: "LearningPaths::Path", assignable_id: path_id };
}
