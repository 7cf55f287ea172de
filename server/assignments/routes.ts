import { serializePlainly as serializerCompiler } from "../http/answer.ts";
import type { App } from "../http/app.ts";
import { readPage, toEnvelope } from "../http/page.ts";
import { answers } from "../http/schema.ts";
import { registerCourseAssignments } from "./course-routes.ts";
import { registerLessonAssignments } from "./lesson-routes.ts";
import { listAssignments, listAssignmentsInFull } from "./lists.ts";
import { toAnswer } from "./pages.ts";
import { registerPathAssignments } from "./path-routes.ts";
import {
  AssignmentQuery,
  ListedAssignmentPage,
  ListedAssignmentQuery,
  pageOf,
  PagedQuery,
  StatusParams,
} from "./schema.ts";
import { listByStatus } from "./statuses.ts";
import { registerUserAssignments } from "./user-routes.ts";

const tags = ["Assignments"];
const page200 = answers(200, pageOf("assignments"));

/** /api/v1/assignments, and the assignments of users, lessons, paths and courses */
export function registerAssignments(app: App): void {
  app.get(
    "/api/v1/assignments",
    {
      serializerCompiler,
      config: { access: "assignments.read" },
      schema: { tags, summary: "List assignments", querystring: AssignmentQuery, response: page200 },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const found = await request.read((tx) => listAssignments(tx, page, request.query));
      return toAnswer("assignments", found, toEnvelope({ request, reply }, page, found));
    },
  );
  app.get(
    "/api/v1.1/assignments",
    {
      serializerCompiler,
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "List assignments in full",
        querystring: ListedAssignmentQuery,
        response: answers(200, ListedAssignmentPage),
      },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const found = await request.read((tx) => listAssignmentsInFull(tx, page, request.query));
      return toAnswer("assignments", found, toEnvelope({ request, reply }, page, found));
    },
  );
  app.get(
    "/api/v1/assignments/:status",
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "List the assignments in a status",
        params: StatusParams,
        querystring: PagedQuery,
        response: page200,
      },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const found = await request.read((tx) => listByStatus(tx, page, request.params.status));
      return toAnswer("assignments", found, toEnvelope({ request, reply }, page, found));
    },
  );
  registerUserAssignments(app);
  registerLessonAssignments(app);
  registerPathAssignments(app);
  registerCourseAssignments(app);
}
