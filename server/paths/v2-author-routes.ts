import { Type, type Static } from "typebox";
import type { App } from "../http/app.ts";
import { listOf } from "../http/cursor.ts";
import { answers, closed, Id, ref } from "../http/schema.ts";
import { getAuthor, listAuthors, putAuthor, removeAuthor } from "../lessons/authors.ts";
import { AuthorChange, LessonAuthor } from "../lessons/v2-schema.ts";
import { PathParams as params } from "./schema.ts";

const tags = ["Paths"];
const config = { access: "paths.write" } as const;
const author = answers(200, ref(LessonAuthor));
const AuthorParams = Type.Object({ path_id: Id, user_id: Id });

/** /api/v2/paths/:path_id/authors */
export function registerPathAuthors(app: App): void {
  const url = "/api/v2/paths/:path_id/authors";
  app.get(
    url,
    {
      config,
      schema: {
        tags,
        summary: "List who may build a path",
        params,
        response: answers(200, listOf(ref(LessonAuthor))),
      },
    },
    (request) =>
      request.read((tx) => listAuthors(tx, { type: "LearningPaths::Path", id: request.params.path_id })),
  );
  app.get(
    `${url}/:user_id`,
    {
      config,
      schema: { tags, summary: "Show one who may build a path", params: AuthorParams, response: author },
    },
    (request) => request.read((tx) => getAuthor(tx, placeOf(request.params))),
  );
  app.put(
    `${url}/:user_id`,
    {
      config,
      schema: {
        tags,
        summary: "Share a path, or give it away",
        params: AuthorParams,
        body: AuthorChange,
        response: author,
      },
    },
    (request) => request.write((tx) => putAuthor(tx, placeOf(request.params), request.body)),
  );
  app.delete(
    `${url}/:user_id`,
    {
      config,
      schema: {
        tags,
        summary: "Share a path no more",
        params: AuthorParams,
        response: answers(200, closed({ id: Id })),
      },
    },
    (request) => request.write((tx) => removeAuthor(tx, placeOf(request.params))),
  );
}

function placeOf({ path_id, user_id }: Static<typeof AuthorParams>) {
  return { type: "LearningPaths::Path", id: path_id, user_id } as const;
}
