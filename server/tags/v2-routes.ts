import type { App } from "../http/app.ts";
import { listOf } from "../http/cursor.ts";
import { answers, closed, Id, ref } from "../http/schema.ts";
import { Tag, TagParams as params } from "./schema.ts";
import { TagInput, TagsQuery } from "./v2-schema.ts";
import { createTag, deleteTag, getTagItem, listTagPage, renameTag } from "./write.ts";

const tags = ["Tags"];

/** /api/v2/tags */
export function registerTagsV2(app: App): void {
  app.get(
    "/api/v2/tags",
    {
      config: { access: "content.read" },
      schema: {
        tags,
        summary: "List tags, page by page",
        querystring: TagsQuery,
        response: answers(200, listOf(ref(Tag))),
      },
    },
    (request) => request.read((tx) => listTagPage(tx, request.query)),
  );
  app.post(
    "/api/v2/tags",
    {
      config: { access: "tags.write" },
      schema: { tags, summary: "Make a tag", body: TagInput, response: answers(201, ref(Tag)) },
    },
    (request, reply) => {
      reply.code(201);
      return request.write((tx) => createTag(tx, request.body));
    },
  );
  app.get(
    "/api/v2/tags/:tag_id",
    {
      config: { access: "content.read" },
      schema: { tags, summary: "Show one tag", params, response: answers(200, ref(Tag)) },
    },
    (request) => request.read((tx) => getTagItem(tx, request.params.tag_id)),
  );
  app.patch(
    "/api/v2/tags/:tag_id",
    {
      config: { access: "tags.write" },
      schema: { tags, summary: "Rename a tag", params, body: TagInput, response: answers(200, ref(Tag)) },
    },
    (request) => request.write((tx) => renameTag(tx, request.params.tag_id, request.body)),
  );
  app.delete(
    "/api/v2/tags/:tag_id",
    {
      config: { access: "tags.write" },
      schema: {
        tags,
        summary: "Delete a tag",
        params,
        response: answers(200, closed({ id: Id })),
      },
    },
    (request) => request.write((tx) => deleteTag(tx, request.params.tag_id)),
  );
}
