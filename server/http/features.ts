import type { TSchema } from "typebox";
import { registerMyAssignments } from "../assignments/my-routes.ts";
import { registerAssignments } from "../assignments/routes.ts";
import { registerAssignmentsV2 } from "../assignments/v2-routes.ts";
import { assignmentComponents } from "../assignments/v2-schema.ts";
import { registerGrading } from "../grading/v2-routes.ts";
import { PendingAnswer } from "../grading/v2-schema.ts";
import { LessonCompleted } from "../learning/lesson-completed.ts";
import { registerAttempts } from "../learning/v2-routes.ts";
import { attemptComponents } from "../learning/v2-schema.ts";
import {
  AssignedLesson,
  AssignedThing,
  Assignment,
  AssignmentContents,
  ListedAssignment,
  UserAssignment,
} from "../assignments/schema.ts";
import { registerAuditV2 } from "../audit/v2-routes.ts";
import { AuditRow } from "../audit/v2-schema.ts";
import { registerBulk } from "../bulk/v2-routes.ts";
import { BulkJob, BulkResult } from "../bulk/v2-schema.ts";
import { registerCertificates } from "../certificates/v2-routes.ts";
import { certificateComponents } from "../certificates/v2-schema.ts";
import { registerCompanySettings } from "../companies/routes.ts";
import { registerCompaniesV2 } from "../companies/v2-routes.ts";
import { ApiKeyItem, CompanySettings, MadeApiKey } from "../companies/v2-schema.ts";
import { registerCourses } from "../courses/routes.ts";
import { Course, CourseSummary, ReducedCourse, TaggedCourse } from "../courses/schema.ts";
import { registerEvents } from "../events/v2-routes.ts";
import { Event, FeedPosition, Tombstone } from "../events/v2-schema.ts";
import { CourseState } from "../courses/v2-schema.ts";
import { registerExports } from "../exports/v2-routes.ts";
import { registerFiles } from "../files/v2-routes.ts";
import { File, Upload } from "../files/v2-schema.ts";
import { registerGroups } from "../groups/routes.ts";
import { Group } from "../groups/schema.ts";
import { GroupAssignment } from "../groups/v2-assignment-schema.ts";
import { registerGroupsV2 } from "../groups/v2-routes.ts";
import { GroupMember, GroupProfile, Membership, RulePreview, RulePreviewUser } from "../groups/v2-schema.ts";
import { contentComponents } from "../lessons/content/components.ts";
import { registerLessons } from "../lessons/routes.ts";
import { Lesson, LessonSummary, LessonWithoutCounts, ListedLesson, TaggedLesson } from "../lessons/schema.ts";
import { registerLessonDrafts } from "../lessons/v2-draft-routes.ts";
import { registerLessonsV2 } from "../lessons/v2-routes.ts";
import { LessonAuthor, LessonOverview } from "../lessons/v2-schema.ts";
import {
  LessonDraft,
  LessonPublication,
  LessonVersion,
  LessonVersionSummary,
} from "../lessons/v2-version-schema.ts";
import { registerMails } from "../mail/v2-routes.ts";
import { mailComponents } from "../mail/v2-schema.ts";
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
import { pathComponents, registerPathsV2 } from "../paths/v2-routes.ts";
import { registerReports } from "../reports/routes.ts";
import {
  CompanyReport,
  ContentReport,
  PeopleReport,
  QuestionReport,
  QuestionReports,
  ReportSummary,
} from "../reports/schema.ts";
import { registerSessionsV2 } from "../sessions/v2-routes.ts";
import { Me, Session, SignedIn, SignedInUser, SignInLink, SignInMethods } from "../sessions/v2-schema.ts";
import { registerSingleSignOnV2 } from "../sso/v2-routes.ts";
import { SingleSignOn } from "../sso/v2-schema.ts";
import { registerRolesV2 } from "../roles/v2-routes.ts";
import { PrivilegeItem, Role } from "../roles/v2-schema.ts";
import { registerSearch } from "../search/routes.ts";
import { searchComponents } from "../search/schema.ts";
import { registerTags } from "../tags/routes.ts";
import { Tag } from "../tags/schema.ts";
import { registerTagsV2 } from "../tags/v2-routes.ts";
import { registerUserGroups, registerUsers } from "../users/routes.ts";
import { CustomUserFieldData, GroupName, ListedUser, User, UserSummary } from "../users/schema.ts";
import { registerUsersV2 } from "../users/v2-routes.ts";
import { CustomUserField, Erasure, UserProfile } from "../users/v2-schema.ts";
import { registerWebhooks } from "../webhooks/v2-routes.ts";
import { webhookComponents } from "../webhooks/v2-schema.ts";
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
  SignedInUser,
  SignedIn,
  Session,
  Me,
  SignInLink,
  SignInMethods,
  SingleSignOn,
  BulkJob,
  BulkResult,
  GroupProfile,
  GroupMember,
  Membership,
  RulePreviewUser,
  RulePreview,
  GroupAssignment,
  UserProfile,
  Erasure,
  CustomUserField,
  Role,
  PrivilegeItem,
  ApiKeyItem,
  MadeApiKey,
  CompanySettings,
  AuditRow,
  Event,
  FeedPosition,
  ...mailComponents,
  Tombstone,
  LessonCompleted,
  CourseState,
  ReportSummary,
  ContentReport,
  PeopleReport,
  CompanyReport,
  QuestionReport,
  QuestionReports,
  File,
  Upload,
  ...searchComponents,
  ...contentComponents,
  LessonOverview,
  LessonAuthor,
  LessonDraft,
  LessonVersionSummary,
  LessonPublication,
  LessonVersion,
  ...pathComponents,
  ...certificateComponents,
  ...attemptComponents,
  ...assignmentComponents,
  PendingAnswer,
  ...webhookComponents,
];

/** Every feature of the API, by name and in the order of the document. */
export function registerFeatures(app: App, options: AppOptions): void {
  registerUsers(app);
  registerUserGroups(app);
  registerGroups(app);
  registerLessons(app);
  registerPaths(app);
  registerCourses(app);
  registerTags(app);
  registerAssignments(app);
  registerCompanySettings(app, options);
  registerReports(app, options);
  registerPing(app);
  registerSessionsV2(app, options);
  registerSingleSignOnV2(app, options);
  registerBulk(app, options);
  registerExports(app, options);
  registerGroupsV2(app);
  registerUsersV2(app);
  registerRolesV2(app);
  registerCompaniesV2(app, options);
  registerAuditV2(app, options);
  registerEvents(app, options);
  registerMails(app, options);
  registerFiles(app, options);
  registerPathsV2(app);
  registerCertificates(app);
  registerLessonsV2(app);
  registerLessonDrafts(app);
  registerSearch(app);
  registerTagsV2(app);
  registerAssignmentsV2(app);
  registerMyAssignments(app);
  registerAttempts(app);
  registerGrading(app);
  registerWebhooks(app, options);
}
