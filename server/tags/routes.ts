import { TaggedCourseList } from "../courses/schema.ts";
import type { App } from "../http/app.ts";
import { serializePlainly } from "../http/answer.ts";
import { answers } from "../http/schema.ts";
import { TaggedLessonList } from "../lessons/schema.ts";
import { TaggedPathList } from "../paths/schema.ts";
import { ShownTag, TagList, TagParams as params } from "./schema.ts";
import { listTaggedCourses, listTaggedLessons, listTaggedPaths } from "./tagged.ts";
import { getTag, listTags } from "./tags.ts";

const tags = ["Tags"];

/** /api/v1/tags */
export function registerTags(app: App): void {
  app.get(
    "/api/v1/tags",
    {
      config: { access: "content.read" },
      schema: { tags, summary: "List tags", response: answers(200, TagList) },
    },
    (request) => request.read(listTags),
  );
  app.get(
    "/api/v1/tags/:tag_id",
    {
      config: { access: "content.read" },
      schema: { tags, summary: "Show a tag", params, response: answers(200, ShownTag) },
    },
    (request) => request.read((tx) => getTag(tx, request.params.tag_id)),
  );
  app.get(
    "/api/v1/tags/:tag_id/lessons",
    {
      config: { access: "content.read" },
      schema: {
        tags,
        summary: "List the lessons of a tag",
        params,
        response: answers(200, TaggedLessonList),
      },
    },
    (request) => request.read((tx) => listTaggedLessons(tx, request.params.tag_id)),
  );
  app.get(
    "/api/v1/tags/:tag_id/paths",
    {
      config: { access: "content.read" },
      schema: { tags, summary: "List the paths of a tag", params, response: answers(200, TaggedPathList) },
      serializerCompiler: serializePlainly,
    },
    (request) => request.read((tx) => listTaggedPaths(tx, request.params.tag_id)),
  );
  app.get(
    "/api/v1/tags/:tag_id/courses",
    {
      config: { access: "content.read" },
      schema: {
        tags,
        deprecated: true,
        summary: "List the courses of a tag",
        params,
        response: answers(200, TaggedCourseList),
      },
    },
    (request) => request.read((tx) => listTaggedCourses(tx, request.params.tag_id)),
  );
}
