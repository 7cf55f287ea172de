import type { Static } from "typebox";
import type { App } from "../http/app.ts";
import { listOf } from "../http/cursor.ts";
import { answers, closed, Id, ref } from "../http/schema.ts";
import { getAuthor, listAuthors, putAuthor, removeAuthor } from "./authors.ts";
import { archiveOwnLesson, getOverview, listCatalogue, restoreOwnLesson } from "./catalogue.ts";
import { copyLesson, createLesson, readNewLesson } from "./create.ts";
import { LessonParams as params } from "./schema.ts";
import {
  AuthorChange,
  AuthorParams,
  LessonAuthor,
  LessonCopy,
  LessonOverview,
  LessonQuery,
  LessonsQuery,
  NewLesson,
} from "./v2-schema.ts";

const tags = ["Lessons"];
const overview = answers(200, ref(LessonOverview));
const made = answers(201, ref(LessonOverview));

/** /api/v2/lessons */
export function registerLessonsV2(app: App): void {
  app.get(
    "/api/v2/lessons",
    {
      config: { access: "content.read" },
      schema: {
        tags,
        summary: "List lessons, page by page",
        querystring: LessonsQuery,
        response: answers(200, listOf(ref(LessonOverview))),
      },
    },
    (request) => request.read((tx) => listCatalogue(tx, request.query)),
  );
  app.post(
    "/api/v2/lessons",
    {
      config: { access: "lessons.write" },
      bodyLimit: MOST_LESSON_BYTES,
      schema: { tags, summary: "Begin a lesson", body: NewLesson, response: made },
    },
    (request, reply) => {
      const lesson = readNewLesson(request.body);
      reply.code(201);
      return request.write((tx) => createLesson(tx, lesson));
    },
  );
  app.get(
    "/api/v2/lessons/:lesson_id",
    {
      config: { access: "content.read" },
      schema: {
        tags,
        summary: "Show a lesson as it is published",
        params,
        querystring: LessonQuery,
        response: overview,
      },
    },
    (request) => request.read((tx) => getOverview(tx, request.params.lesson_id, request.query)),
  );
  registerActions(app);
  registerAuthors(app);
}

/** A document of the largest size, and its settings. */
export const MOST_LESSON_BYTES = 2_097_152;

function registerActions(app: App): void {
  app.post(
    "/api/v2/lessons/:lesson_id/copy",
    {
      config: { access: "lessons.write" },
      schema: {
        tags,
        summary: "Begin a lesson from another's draft",
        params,
        body: LessonCopy,
        response: made,
      },
    },
    (request, reply) => {
      reply.code(201);
      return request.write((tx) => copyLesson(tx, request.params.lesson_id, request.body));
    },
  );
  app.post(
    "/api/v2/lessons/:lesson_id/archive",
    {
      config: { access: "lessons.write" },
      schema: { tags, summary: "Archive a lesson of one's own", params, response: overview },
    },
    (request) => request.write((tx) => archiveOwnLesson(tx, request.params.lesson_id)),
  );
  app.post(
    "/api/v2/lessons/:lesson_id/restore",
    {
      config: { access: "lessons.write" },
      schema: { tags, summary: "Restore a lesson of one's own", params, response: overview },
    },
    (request) => request.write((tx) => restoreOwnLesson(tx, request.params.lesson_id)),
  );
}

function registerAuthors(app: App): void {
  const author = answers(200, ref(LessonAuthor));
  app.get(
    "/api/v2/lessons/:lesson_id/authors",
    {
      config: { access: "lessons.write" },
      schema: {
        tags,
        summary: "List who may write a lesson",
        params,
        response: answers(200, listOf(ref(LessonAuthor))),
      },
    },
    (request) => request.read((tx) => listAuthors(tx, { type: "Lesson", id: request.params.lesson_id })),
  );
  app.get(
    "/api/v2/lessons/:lesson_id/authors/:user_id",
    {
      config: { access: "lessons.write" },
      schema: { tags, summary: "Show one who may write a lesson", params: AuthorParams, response: author },
    },
    (request) => request.read((tx) => getAuthor(tx, placeOf(request.params))),
  );
  app.put(
    "/api/v2/lessons/:lesson_id/authors/:user_id",
    {
      config: { access: "lessons.write" },
      schema: {
        tags,
        summary: "Share a lesson, or give it away",
        params: AuthorParams,
        body: AuthorChange,
        response: author,
      },
    },
    (request) => request.write((tx) => putAuthor(tx, placeOf(request.params), request.body)),
  );
  app.delete(
    "/api/v2/lessons/:lesson_id/authors/:user_id",
    {
      config: { access: "lessons.write" },
      schema: {
        tags,
        summary: "Share a lesson no more",
        params: AuthorParams,
        response: answers(200, closed({ id: Id })),
      },
    },
    (request) => request.write((tx) => removeAuthor(tx, placeOf(request.params))),
  );
}

function placeOf({ lesson_id, user_id }: Static<typeof AuthorParams>) {
  return { type: "Lesson", id: lesson_id, user_id } as const;
}
