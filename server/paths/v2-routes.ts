import type { App } from "../http/app.ts";
import { serializePlainly as serializerCompiler } from "../http/answer.ts";
import { listOf } from "../http/cursor.ts";
import { answers, ref } from "../http/schema.ts";
import { archiveOwnPath, getOverview, listCatalogue, restoreOwnPath } from "./catalogue.ts";
import { copyPath, createPath } from "./create.ts";
import { PathParams as params } from "./schema.ts";
import { registerPathAuthors } from "./v2-author-routes.ts";
import { registerPathDrafts } from "./v2-draft-routes.ts";
import { NewPath, PathCopy, PathOverview, PathsQuery, PathWithSteps } from "./v2-schema.ts";
import {
  PathLessonStep,
  PathNestedStep,
  PathPlaceholderStep,
  PathWaitStep,
  PublishedStep,
} from "./v2-step-schema.ts";
import { PathDraft, PathPublication, PathVersion, PathVersionSummary } from "./v2-version-schema.ts";

/** The schemas of these routes, those that others refer to first. */
export const pathComponents = [
  PathLessonStep,
  PathNestedStep,
  PathWaitStep,
  PathPlaceholderStep,
  PublishedStep,
  PathOverview,
  PathWithSteps,
  PathDraft,
  PathVersionSummary,
  PathPublication,
  PathVersion,
];

const tags = ["Paths"];
const path = answers(200, ref(PathWithSteps));
const made = answers(201, ref(PathWithSteps));

/** /api/v2/paths */
export function registerPathsV2(app: App): void {
  app.get(
    "/api/v2/paths",
    {
      config: { access: "content.read" },
      schema: {
        tags,
        summary: "List paths, page by page",
        querystring: PathsQuery,
        response: answers(200, listOf(ref(PathOverview))),
      },
    },
    (request) => request.read((tx) => listCatalogue(tx, request.query)),
  );
  app.post(
    "/api/v2/paths",
    {
      config: { access: "paths.write" },
      serializerCompiler,
      schema: { tags, summary: "Begin a path", body: NewPath, response: made },
    },
    (request, reply) => {
      reply.code(201);
      return request.write((tx) => createPath(tx, request.body));
    },
  );
  registerPath(app);
  registerPathDrafts(app);
  registerPathAuthors(app);
}

function registerPath(app: App): void {
  app.get(
    "/api/v2/paths/:path_id",
    {
      config: { access: "content.read" },
      serializerCompiler,
      schema: { tags, summary: "Show a path as it is published", params, response: path },
    },
    (request) => request.read((tx) => getOverview(tx, request.params.path_id)),
  );
  app.post(
    "/api/v2/paths/:path_id/copy",
    {
      config: { access: "paths.write" },
      serializerCompiler,
      schema: { tags, summary: "Begin a path from another's draft", params, body: PathCopy, response: made },
    },
    (request, reply) => {
      reply.code(201);
      return request.write((tx) => copyPath(tx, request.params.path_id, request.body));
    },
  );
  app.post(
    "/api/v2/paths/:path_id/archive",
    {
      config: { access: "paths.write" },
      serializerCompiler,
      schema: { tags, summary: "Archive a path of one's own", params, response: path },
    },
    (request) => request.write((tx) => archiveOwnPath(tx, request.params.path_id)),
  );
  app.post(
    "/api/v2/paths/:path_id/restore",
    {
      config: { access: "paths.write" },
      serializerCompiler,
      schema: { tags, summary: "Restore a path of one's own", params, response: path },
    },
    (request) => request.write((tx) => restoreOwnPath(tx, request.params.path_id)),
  );
}
