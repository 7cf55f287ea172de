import type { App } from "../http/app.ts";
import { answers, ref } from "../http/schema.ts";
import { archiveLesson, getLesson, listLessons, listLessonsInFull, restoreLesson } from "./lessons.ts";
import {
  Lesson,
  LessonParams as params,
  LessonSummaryList,
  LessonUpdate,
  LessonWithoutCounts,
  ListedLessonList,
} from "./schema.ts";
import { updateLesson } from "./update.ts";

const tags = ["Lessons"];
const lesson = answers(200, ref(Lesson));

/** /api/v1/lessons */
export function registerLessons(app: App): void {
  app.get(
    "/api/v1/lessons",
    {
      config: { access: "content.read" },
      schema: { tags, summary: "List lessons", response: answers(200, LessonSummaryList) },
    },
    (request) => request.read(listLessons),
  );
  app.get(
    "/api/v1.1/lessons",
    {
      config: { access: "content.read" },
      schema: { tags, summary: "List lessons in full", response: answers(200, ListedLessonList) },
    },
    (request) => request.read(listLessonsInFull),
  );
  registerLesson(app);
}

function registerLesson(app: App): void {
  app.get(
    "/api/v1/lessons/:lesson_id",
    {
      config: { access: "content.read" },
      schema: { tags, summary: "Show a lesson", params, response: lesson },
    },
    (request) => request.read((tx) => getLesson(tx, request.params.lesson_id)),
  );
  app.get(
    "/api/v1.1/lessons/:lesson_id",
    {
      config: { access: "content.read" },
      schema: {
        tags,
        summary: "Show a lesson without its counts",
        params,
        response: answers(200, ref(LessonWithoutCounts)),
      },
    },
    (request) => request.read((tx) => getLesson(tx, request.params.lesson_id)),
  );
  app.put(
    "/api/v1/lessons/:lesson_id",
    {
      config: { access: "lessons.write" },
      schema: { tags, summary: "Update a lesson", params, body: LessonUpdate, response: lesson },
    },
    (request) => request.write((tx) => updateLesson(tx, request.params.lesson_id, request.body)),
  );
  app.put(
    "/api/v1/lessons/:lesson_id/archive",
    {
      config: { access: "lessons.write" },
      schema: { tags, summary: "Archive a lesson", params, response: lesson },
    },
    (request) => request.write((tx) => archiveLesson(tx, request.params.lesson_id)),
  );
  app.put(
    "/api/v1/lessons/:lesson_id/restore",
    {
      config: { access: "lessons.write" },
      schema: { tags, summary: "Restore a lesson", params, response: lesson },
    },
    (request) => request.write((tx) => restoreLesson(tx, request.params.lesson_id)),
  );
}
