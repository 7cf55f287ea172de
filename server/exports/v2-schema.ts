import { Type, type Static } from "typebox";
import { AssignmentsQuery } from "../assignments/v2-schema.ts";
import { closed } from "../http/schema.ts";
import { UserProfileQuery } from "../users/v2-schema.ts";
import { ExportQuery } from "./schema.ts";

const paging = ["cursor", "limit", "sort", "include"] as const;

/** The filters of the list of users, for all of it at once. */
export const UserExportQuery = closed({
  ...Type.Omit(UserProfileQuery, [...paging, "count"]).properties,
  ...ExportQuery,
});
export const AssignmentExportQuery = closed({
  ...Type.Omit(AssignmentsQuery, [...paging]).properties,
  ...ExportQuery,
});

export const ResultsQuery = closed({
  ...ExportQuery,
  "filter[user_id]": Type.Optional(Type.Integer({ minimum: 1, description: "Results of this user." })),
  "filter[assignable_type]": Type.Optional(
    Type.Unsafe<"Lesson" | "LearningPaths::Path" | "Course">({
      type: "string",
      enum: ["Lesson", "LearningPaths::Path", "Course"],
      description: "Results in lessons, paths or courses.",
    }),
  ),
  "filter[assignable_id]": Type.Optional(
    Type.Integer({ minimum: 1, description: "Results in this one; with filter[assignable_type]." }),
  ),
  "filter[completed_since]": Type.Optional(
    Type.String({ format: "moment", description: "Those that ended at this date or time, or later." }),
  ),
});
export type ResultsQuery = Static<typeof ResultsQuery>;
