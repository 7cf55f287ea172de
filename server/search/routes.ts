import type { App } from "../http/app.ts";
import { listOf } from "../http/cursor.ts";
import { answers, ref } from "../http/schema.ts";
import { listLibrary, viewInLibrary } from "./library.ts";
import {
  LibraryItem,
  LibraryQuery,
  LibraryView,
  NewLibraryView,
  SearchQuery,
  SearchResult,
} from "./schema.ts";
import { search } from "./search.ts";

/** /api/v2/search and /api/v2/library */
export function registerSearch(app: App): void {
  app.get(
    "/api/v2/search",
    {
      config: { access: "authenticated" },
      schema: {
        tags: ["Search"],
        summary: "Search lessons and paths as one types",
        querystring: SearchQuery,
        response: answers(200, listOf(ref(SearchResult))),
      },
    },
    (request) => request.read((tx) => search(tx, request.query)),
  );
  app.get(
    "/api/v2/library",
    {
      config: { access: "learn" },
      schema: {
        tags: ["Library"],
        summary: "List what anyone may take",
        querystring: LibraryQuery,
        response: answers(200, listOf(ref(LibraryItem))),
      },
    },
    (request) => request.read((tx) => listLibrary(tx, request.query)),
  );
  app.post(
    "/api/v2/library/views",
    {
      config: { access: "learn" },
      schema: {
        tags: ["Library"],
        summary: "Count that one has opened something in the library",
        body: NewLibraryView,
        response: answers(201, LibraryView),
      },
    },
    (request, reply) => {
      reply.code(201);
      return request.write((tx) => viewInLibrary(tx, request.body));
    },
  );
}
