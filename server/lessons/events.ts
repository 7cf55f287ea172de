import { sql, type SqlBool } from "kysely";
import type { Followed } from "../events/changes.ts";
import { listTagsOf } from "../tags/taggings.ts";
import { selectOverviews, toOverview } from "./overviews.ts";

/** Lessons as events tell of them: without what is counted, which assignments tell. */
export const lessonEvents: Followed = {
  name: "lesson",
  read: async (tx, ids) => {
    const [rows, tags] = await Promise.all([
      selectOverviews(tx, [sql<SqlBool>`lessons.id = any(${[...ids]}::bigint[])`], ids.length),
      listTagsOf(tx, { type: "Lesson", ids }),
    ]);
    return new Map(rows.map((row) => [row.id, toOverview(tx, row, { tags: tags.get(row.id) })]));
  },
  nameChange: (before, after) =>
    before["published_version"] === after["published_version"] ? "updated" : "published",
};
