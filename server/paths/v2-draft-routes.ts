import type { App } from "../http/app.ts";
import { serializePlainly as serializerCompiler } from "../http/answer.ts";
import { CursorQuery, listOf } from "../http/cursor.ts";
import { answers, closed, ref } from "../http/schema.ts";
import { addStep, changeStep, moveStep, removeStep } from "./draft-steps.ts";
import { changeDraft, getDraft } from "./drafts.ts";
import { publishPath } from "./publish.ts";
import { PathParams as params } from "./schema.ts";
import { PathChange, PathReplacement } from "./v2-schema.ts";
import { NewStep, StepFields, StepMove, StepParams } from "./v2-step-schema.ts";
import {
  PathDraft,
  PathPublication,
  PathPublishing,
  PathVersion,
  PathVersionParams,
  PathVersionSummary,
} from "./v2-version-schema.ts";
import { getVersion, listVersions, restoreVersion } from "./versions.ts";

const tags = ["Paths"];
const draft = answers(200, ref(PathDraft));
const editable = { access: "paths.write", editable: true } as const;

/** /api/v2/paths/:path_id/draft, and what comes of a draft. */
export function registerPathDrafts(app: App): void {
  const url = "/api/v2/paths/:path_id/draft";
  app.get(
    url,
    {
      config: editable,
      serializerCompiler,
      schema: { tags, summary: "Show a path's draft", params, response: draft },
    },
    (request) => request.read((tx) => getDraft(tx, request.params.path_id)),
  );
  app.put(
    url,
    {
      config: editable,
      serializerCompiler,
      schema: { tags, summary: "Replace a path's draft", params, body: PathReplacement, response: draft },
    },
    (request) => request.write((tx) => changeDraft(tx, request.params.path_id, request.body)),
  );
  app.patch(
    url,
    {
      config: editable,
      serializerCompiler,
      schema: { tags, summary: "Change a path's draft", params, body: PathChange, response: draft },
    },
    (request) => request.write((tx) => changeDraft(tx, request.params.path_id, request.body)),
  );
  registerSteps(app);
  registerVersions(app);
}

function registerSteps(app: App): void {
  const url = "/api/v2/paths/:path_id/draft/steps";
  app.post(
    url,
    {
      config: editable,
      serializerCompiler,
      schema: {
        tags,
        summary: "Put a step into a path's draft",
        params,
        body: NewStep,
        response: answers(201, ref(PathDraft)),
      },
    },
    (request, reply) => {
      reply.code(201);
      return request.write((tx) => addStep(tx, request.params.path_id, request.body));
    },
  );
  app.patch(
    `${url}/:step_id`,
    {
      config: editable,
      serializerCompiler,
      schema: {
        tags,
        summary: "Change a step of a path's draft",
        params: StepParams,
        body: StepFields,
        response: draft,
      },
    },
    (request) => request.write((tx) => changeStep(tx, request.params, request.body)),
  );
  app.delete(
    `${url}/:step_id`,
    {
      config: editable,
      serializerCompiler,
      schema: { tags, summary: "Take a step out of a path's draft", params: StepParams, response: draft },
    },
    (request) => request.write((tx) => removeStep(tx, request.params)),
  );
  app.post(
    `${url}/:step_id/move`,
    {
      config: editable,
      serializerCompiler,
      schema: {
        tags,
        summary: "Move a step of a path's draft",
        params: StepParams,
        body: StepMove,
        response: draft,
      },
    },
    (request) => request.write((tx) => moveStep(tx, request.params, request.body)),
  );
}

function registerVersions(app: App): void {
  app.post(
    "/api/v2/paths/:path_id/publish",
    {
      config: { access: "paths.write" },
      schema: {
        tags,
        summary: "Publish a path's draft",
        params,
        body: PathPublishing,
        response: answers(201, ref(PathPublication)),
      },
    },
    (request, reply) => {
      reply.code(201);
      return request.write((tx) => publishPath(tx, request.params.path_id, request.body));
    },
  );
  registerPastVersions(app);
}

function registerPastVersions(app: App): void {
  app.get(
    "/api/v2/paths/:path_id/versions",
    {
      config: { access: "paths.write" },
      schema: {
        tags,
        summary: "List a path's versions",
        params,
        querystring: closed(CursorQuery),
        response: answers(200, listOf(ref(PathVersionSummary))),
      },
    },
    (request) => request.read((tx) => listVersions(tx, request.params.path_id, request.query)),
  );
  app.get(
    "/api/v2/paths/:path_id/versions/:version",
    {
      config: { access: "paths.write" },
      serializerCompiler,
      schema: {
        tags,
        summary: "Show a version of a path",
        params: PathVersionParams,
        response: answers(200, ref(PathVersion)),
      },
    },
    (request) => request.read((tx) => getVersion(tx, request.params)),
  );
  app.post(
    "/api/v2/paths/:path_id/versions/:version/restore",
    {
      config: editable,
      serializerCompiler,
      schema: {
        tags,
        summary: "Make a version the draft again",
        params: PathVersionParams,
        response: draft,
      },
    },
    (request) => request.write((tx) => restoreVersion(tx, request.params)),
  );
}
