import { CourseParams as params } from "../courses/schema.ts";
import type { Static } from "typebox";
import { Type } from "typebox";
import type { WriteTx } from "../db/db.ts";
import type { App } from "../http/app.ts";
import { readPage, toEnvelope } from "../http/page.ts";
import { answers, closed, ref } from "../http/schema.ts";
import { assignThing } from "./assign.ts";
import { type Thing, toAssignments } from "./assignments.ts";
import { getCompleted } from "./completions.ts";
import { listOfThing } from "./lists.ts";
import { toAnswer } from "./pages.ts";
import { AssignBody, AssignedThing, completedCount, pageOf, PagedQuery } from "./schema.ts";

const tags = ["Courses"];
const Assigned = closed({
  type: Type.Literal("update_course_assignments"),
  assignments: Type.Array(ref(AssignedThing)),
});

/** /api/v1/courses/:course_id/assignments, and how many have completed a course */
export function registerCourseAssignments(app: App): void {
  registerAssigning(app);
  registerCounts(app);
}

function registerAssigning(app: App): void {
  const url = "/api/v1/courses/:course_id/assignments";
  app.get(
    url,
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "List the assignments of a course",
        params,
        querystring: PagedQuery,
        response: answers(200, pageOf("course_assignments")),
      },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const found = await request.read((tx) => listOfThing(tx, page, course(request.params)));
      return toAnswer("course_assignments", found, toEnvelope({ request, reply }, page, found));
    },
  );
  app.put(
    url,
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "Assign a course to users",
        params,
        body: AssignBody,
        response: answers(200, Assigned),
      },
    },
    (request) => request.write((tx) => assignCourse(tx, request.params, request.body)),
  );
  app.post(
    url,
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "Assign a course to users, as PUT does",
        params,
        body: AssignBody,
        response: answers(201, Assigned),
      },
    },
    async (request, reply) => {
      const assigned = await request.write((tx) => assignCourse(tx, request.params, request.body));
      return reply.code(201).send(assigned);
    },
  );
}

function registerCounts(app: App): void {
  app.get(
    "/api/v1.1/courses/:course_id/assignments/completed",
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "Count the assignments of a course that are completed",
        params,
        response: answers(200, completedCount("course_assignments_completed")),
      },
    },
    (request) =>
      request.read((tx) => getCompleted(tx, "course_assignments_completed", course(request.params))),
  );
}

async function assignCourse(tx: WriteTx, ids: Ids, body: AssignBody) {
  const rows = await assignThing(tx, course(ids), body);
  return { type: "update_course_assignments" as const, assignments: toAssignments(tx, rows) };
}

type Ids = Static<typeof params>;

function course({ course_id }: Ids): Thing {
  return { assignable_type: "Course", assignable_id: course_id };
}
