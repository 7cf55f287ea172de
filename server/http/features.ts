import type { TSchema } from "typebox";
import { registerAssignments } from "../assignments/routes.ts";
import {
  AssignedLesson,
  AssignedThing,
  Assignment,
  AssignmentContents,
  ListedAssignment,
  UserAssignment,
} from "../assignments/schema.ts";
import { registerCompanySettings } from "../companies/routes.ts";
import { registerCourses } from "../courses/routes.ts";
import { Course, CourseSummary, ReducedCourse, TaggedCourse } from "../courses/schema.ts";
import { registerGroups } from "../groups/routes.ts";
import { Group } from "../groups/schema.ts";
import { registerLessons } from "../lessons/routes.ts";
import { Lesson, LessonSummary, LessonWithoutCounts, ListedLesson, TaggedLesson } from "../lessons/schema.ts";
import { registerPaths } from "../paths/routes.ts";
import {
  LessonContent,
  ListedPath,
  NestedPathContent,
  Path,
  PathContent,
  PathSummary,
  PlaceholderContent,
  TaggedPath,
  WaitStepContent,
} from "../paths/schema.ts";
import { registerTags } from "../tags/routes.ts";
import { Tag } from "../tags/schema.ts";
import { registerUserGroups, registerUsers } from "../users/routes.ts";
import { CustomUserFieldData, GroupName, ListedUser, User, UserSummary } from "../users/schema.ts";
import type { App, AppOptions } from "./app.ts";
import { registerPing } from "./ping.ts";
import { ErrorBody } from "./problem.ts";
import { ProblemDetails } from "./problem-details.ts";
import { Links } from "./schema.ts";

/** The schemas that stand in the document by name, those that others refer to first. */
export const components: readonly TSchema[] = [
  ErrorBody,
  ProblemDetails,
  CustomUserFieldData,
  GroupName,
  User,
  UserSummary,
  ListedUser,
  Group,
  Tag,
  Links,
  LessonSummary,
  ListedLesson,
  Lesson,
  LessonWithoutCounts,
  TaggedLesson,
  LessonContent,
  WaitStepContent,
  PlaceholderContent,
  PathContent,
  NestedPathContent,
  PathSummary,
  ListedPath,
  Path,
  TaggedPath,
  CourseSummary,
  Course,
  ReducedCourse,
  TaggedCourse,
  Assignment,
  AssignmentContents,
  ListedAssignment,
  UserAssignment,
  AssignedLesson,
  AssignedThing,
];

/** Every feature of the API, by name and in the order of the document. */
export function registerFeatures(app: App, _options: AppOptions): void {
  registerUsers(app);
  registerUserGroups(app);
  registerGroups(app);
  registerLessons(app);
  registerPaths(app);
  registerCourses(app);
  registerTags(app);
  registerAssignments(app);
  registerCompanySettings(app);
  registerPing(app);
}
