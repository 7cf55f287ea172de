import type { App } from "../http/app.ts";
import { serializePlainly as serializerCompiler } from "../http/answer.ts";
import { answers, ref } from "../http/schema.ts";
import { archivePath, getPath, listPaths, listPathsInFull, restorePath } from "./paths.ts";
import { ListedPathList, Path, PathParams as params, PathSummaryList } from "./schema.ts";

const tags = ["Paths"];
const path = answers(200, ref(Path));

/** /api/v1/paths */
export function registerPaths(app: App): void {
  app.get(
    "/api/v1/paths",
    {
      config: { access: "content.read" },
      schema: { tags, summary: "List paths", response: answers(200, PathSummaryList) },
    },
    (request) => request.read(listPaths),
  );
  app.get(
    "/api/v1.1/paths",
    {
      config: { access: "content.read" },
      schema: { tags, summary: "List paths in full", response: answers(200, ListedPathList) },
    },
    (request) => request.read(listPathsInFull),
  );
  app.get(
    "/api/v1/paths/:path_id",
    {
      config: { access: "content.read" },
      schema: { tags, summary: "Show a path with its contents", params, response: path },
      serializerCompiler,
    },
    (request) => request.read((tx) => getPath(tx, request.params.path_id)),
  );
  app.put(
    "/api/v1/paths/:path_id/archive",
    {
      config: { access: "paths.write" },
      schema: { tags, summary: "Archive a path", params, response: path },
      serializerCompiler,
    },
    (request) => request.write((tx) => archivePath(tx, request.params.path_id)),
  );
  app.put(
    "/api/v1/paths/:path_id/restore",
    {
      config: { access: "paths.write" },
      schema: { tags, summary: "Restore a path", params, response: path },
      serializerCompiler,
    },
    (request) => request.write((tx) => restorePath(tx, request.params.path_id)),
  );
}
