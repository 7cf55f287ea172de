import { LessonParams as params } from "../lessons/schema.ts";
import type { Static } from "typebox";
import { Type } from "typebox";
import type { WriteTx } from "../db/db.ts";
import type { App } from "../http/app.ts";
import { readPage, toEnvelope } from "../http/page.ts";
import { answers, closed, ref } from "../http/schema.ts";
import { assignThing } from "./assign.ts";
import { type Thing, toAssignments } from "./assignments.ts";
import { getBreakdown, getCompleted, getCompletions } from "./completions.ts";
import { listOfThing } from "./lists.ts";
import { toAnswer } from "./pages.ts";
import {
  AssignBody,
  AssignedLesson,
  completedCount,
  CompletionBreakdown,
  completionCount,
  pageOf,
  PagedQuery,
} from "./schema.ts";

const tags = ["Lessons"];
const Assigned = closed({
  type: Type.Literal("update_lesson_assignments"),
  assignments: Type.Array(ref(AssignedLesson)),
});

/** /api/v1/lessons/:lesson_id/assignments, and how many have completed a lesson */
export function registerLessonAssignments(app: App): void {
  registerAssigning(app);
  registerCounts(app);
}

function registerAssigning(app: App): void {
  const url = "/api/v1/lessons/:lesson_id/assignments";
  app.get(
    url,
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "List the assignments of a lesson",
        params,
        querystring: PagedQuery,
        response: answers(200, pageOf("lesson_assignments")),
      },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const found = await request.read((tx) => listOfThing(tx, page, lesson(request.params)));
      return toAnswer("lesson_assignments", found, toEnvelope({ request, reply }, page, found));
    },
  );
  app.put(
    url,
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "Assign a lesson to users",
        params,
        body: AssignBody,
        response: answers(200, Assigned),
      },
    },
    (request) => request.write((tx) => assignLesson(tx, request.params, request.body)),
  );
  app.post(
    url,
    {
      config: { access: "assignments.write" },
      schema: {
        tags,
        summary: "Assign a lesson to users, as PUT does",
        params,
        body: AssignBody,
        response: answers(201, Assigned),
      },
    },
    async (request, reply) => {
      const assigned = await request.write((tx) => assignLesson(tx, request.params, request.body));
      return reply.code(201).send(assigned);
    },
  );
}

function registerCounts(app: App): void {
  app.get(
    "/api/v1.1/lessons/:lesson_id/assignments/completed",
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "Count the assignments of a lesson that are completed",
        params,
        response: answers(200, completedCount("lesson_assignments_completed")),
      },
    },
    (request) =>
      request.read((tx) => getCompleted(tx, "lesson_assignments_completed", lesson(request.params))),
  );
  app.get(
    "/api/v1/lessons/:lesson_id/total_completions",
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "Count the learners who have completed a lesson",
        params,
        response: answers(200, completionCount("lesson_total_completion_count")),
      },
    },
    (request) =>
      request.read((tx) => getCompletions(tx, "lesson_total_completion_count", lesson(request.params))),
  );
  app.get(
    "/api/v1/lessons/:lesson_id/completion_breakdown",
    {
      config: { access: "assignments.read" },
      schema: {
        tags,
        summary: "Tell by which way learners have completed a lesson",
        params,
        response: answers(200, CompletionBreakdown),
      },
    },
    (request) => request.read((tx) => getBreakdown(tx, lesson(request.params))),
  );
}

async function assignLesson(tx: WriteTx, ids: Ids, body: AssignBody) {
  const rows = await assignThing(tx, lesson(ids), body);
  return { type: "update_lesson_assignments" as const, assignments: toAssignments(tx, rows) };
}

type Ids = Static<typeof params>;

function lesson({ lesson_id }: Ids): Thing {
  return { assignable_type: "Lesson", assignable_id: lesson_id };
}
