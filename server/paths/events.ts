import { sql, type SqlBool } from "kysely";
import type { Followed } from "../events/changes.ts";
import { listTagsOf } from "../tags/taggings.ts";
import { selectOverviews, toOverview } from "./overviews.ts";

/** Paths as events tell of them: without their steps, which only publishing changes. */
export const pathEvents: Followed = {
  name: "path",
  read: async (tx, ids) => {
    const [rows, tags] = await Promise.all([
      selectOverviews(tx, [sql<SqlBool>`paths.id = any(${[...ids]}::bigint[])`], ids.length),
      listTagsOf(tx, { type: "LearningPaths::Path", ids }),
    ]);
    return new Map(rows.map((row) => [row.id, toOverview(tx, row, tags.get(row.id))]));
  },
  nameChange: (before, after) =>
    before["published_version"] === after["published_version"] ? "updated" : "published",
};
