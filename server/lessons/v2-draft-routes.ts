import type { App } from "../http/app.ts";
import { serializePlainly } from "../http/answer.ts";
import { CursorQuery, listOf } from "../http/cursor.ts";
import { etagOf } from "../http/match.ts";
import { answers, closed, ref } from "../http/schema.ts";
import { changeDraft, getDraft } from "./drafts.ts";
import { changeByMarkdown, createFromMarkdown, getMarkdown } from "./markdown.ts";
import { readMarkdownBody } from "./markdown-body.ts";
import { publishLesson } from "./publish.ts";
import { LessonParams as params } from "./schema.ts";
import { MOST_LESSON_BYTES } from "./v2-routes.ts";
import { LessonChange, LessonOverview, LessonReplacement } from "./v2-schema.ts";
import {
  LessonDraft,
  LessonPublication,
  LessonVersion,
  LessonVersionSummary,
  MarkdownQuery,
  Publishing,
  VersionParams,
} from "./v2-version-schema.ts";
import { getVersion, listVersions, restoreVersion } from "./versions.ts";
import { readChanges } from "./written.ts";

const tags = ["Lessons"];
// What nests as a document does is sent as the noun gives it.
const serializerCompiler = serializePlainly;
const draft = answers(200, ref(LessonDraft));
const editable = { access: "lessons.write", editable: true } as const;

/** /api/v2/lessons/:lesson_id/draft, and what comes of a draft. */
export function registerLessonDrafts(app: App): void {
  app.get(
    "/api/v2/lessons/:lesson_id/draft",
    {
      config: editable,
      serializerCompiler,
      schema: { tags, summary: "Show a lesson's draft", params, response: draft },
    },
    (request) => request.read((tx) => getDraft(tx, request.params.lesson_id)),
  );
  app.put(
    "/api/v2/lessons/:lesson_id/draft",
    {
      config: editable,
      serializerCompiler,
      bodyLimit: MOST_LESSON_BYTES,
      schema: { tags, summary: "Replace a lesson's draft", params, body: LessonReplacement, response: draft },
    },
    (request) => {
      const [changes, yours] = [readChanges(request.body), request.body];
      return request.write((tx) => changeDraft(tx, request.params.lesson_id, { changes, yours }));
    },
  );
  app.patch(
    "/api/v2/lessons/:lesson_id/draft",
    {
      config: editable,
      serializerCompiler,
      bodyLimit: MOST_LESSON_BYTES,
      schema: { tags, summary: "Change a lesson's draft", params, body: LessonChange, response: draft },
    },
    (request) => {
      const [changes, yours] = [readChanges(request.body), request.body];
      return request.write((tx) => changeDraft(tx, request.params.lesson_id, { changes, yours }));
    },
  );
  registerVersions(app);
  registerMarkdown(app);
  registerMarkdownImport(app);
}

function registerVersions(app: App): void {
  app.post(
    "/api/v2/lessons/:lesson_id/publish",
    {
      config: { access: "lessons.write" },
      schema: {
        tags,
        summary: "Publish a lesson's draft",
        params,
        body: Publishing,
        response: answers(201, ref(LessonPublication)),
      },
    },
    (request, reply) => {
      reply.code(201);
      return request.write((tx) => publishLesson(tx, request.params.lesson_id, request.body));
    },
  );
  app.get(
    "/api/v2/lessons/:lesson_id/versions",
    {
      config: { access: "lessons.write" },
      schema: {
        tags,
        summary: "List a lesson's versions",
        params,
        querystring: closed(CursorQuery),
        response: answers(200, listOf(ref(LessonVersionSummary))),
      },
    },
    (request) => request.read((tx) => listVersions(tx, request.params.lesson_id, request.query)),
  );
  app.get(
    "/api/v2/lessons/:lesson_id/versions/:version",
    {
      config: { access: "lessons.write" },
      serializerCompiler,
      schema: {
        tags,
        summary: "Show a version of a lesson",
        params: VersionParams,
        response: answers(200, ref(LessonVersion)),
      },
    },
    (request) => request.read((tx) => getVersion(tx, request.params)),
  );
  app.post(
    "/api/v2/lessons/:lesson_id/versions/:version/restore",
    {
      config: editable,
      serializerCompiler,
      schema: { tags, summary: "Make a version the draft again", params: VersionParams, response: draft },
    },
    (request) => request.write((tx) => restoreVersion(tx, request.params)),
  );
}

const takes = ["text/markdown"];

function registerMarkdownImport(app: App): void {
  app.post(
    "/api/v2/lessons/markdown",
    {
      config: { access: "lessons.write", takes },
      bodyLimit: MOST_LESSON_BYTES,
      schema: {
        tags,
        summary: "Begin a lesson from Markdown",
        description: "The body is text/markdown, in UTF-8.",
        response: answers(201, ref(LessonOverview)),
      },
    },
    async (request, reply) => {
      const text = await readMarkdownBody(request);
      reply.code(201);
      return request.write((tx) => createFromMarkdown(tx, text));
    },
  );
}

function registerMarkdown(app: App): void {
  app.get(
    "/api/v2/lessons/:lesson_id/markdown",
    {
      config: { access: "lessons.write", answersOther: true },
      schema: {
        tags,
        summary: "Show a lesson's draft or a version as Markdown",
        params,
        querystring: MarkdownQuery,
        response: {
          200: {
            description: "The lesson as Markdown. Of a draft, the ETag is the draft's.",
            content: { "text/markdown": { schema: { type: "string" } } },
          },
        },
      },
    },
    async (request, reply) => {
      const { text, draft: current } = await request.read((tx) =>
        getMarkdown(tx, request.params.lesson_id, request.query.version),
      );
      if (current !== null) reply.header("etag", etagOf(current));
      return reply.type("text/markdown; charset=utf-8").send(text);
    },
  );
  app.put(
    "/api/v2/lessons/:lesson_id/markdown",
    {
      config: { ...editable, takes },
      serializerCompiler,
      bodyLimit: MOST_LESSON_BYTES,
      schema: {
        tags,
        summary: "Replace a lesson's draft by Markdown",
        description: "The body is text/markdown, in UTF-8.",
        params,
        response: draft,
      },
    },
    (request) =>
      readMarkdownBody(request).then((text) =>
        request.write((tx) => changeByMarkdown(tx, request.params.lesson_id, text)),
      ),
  );
}
