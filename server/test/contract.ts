import type { Content } from "./content.ts";
import * as shape from "./shapes.ts";
import type { Shape } from "./shapes.ts";

/** One operation of the contract: what it answers, and a body that succeeds. */
export interface Expected {
  readonly name: string;
  /** The answer's `type`; none where the contract gives none. */
  readonly type?: string;
  readonly answer: Shape;
  readonly body?: (content: Content) => object;
}

export const usersOperations: readonly Expected[] = [
  { name: "GET /api/v1/users", type: "users", answer: shape.page("users", shape.userSummary) },
  { name: "GET /api/v1.1/users", type: "users", answer: shape.page("users", shape.listedUser) },
  { name: "GET /api/v1/users/:user_id", type: "user", answer: shape.user },
  {
    name: "GET /api/v1/users/:user_id/learning_library_statistics",
    type: "user_learning_library_statistics",
    answer: {
      type: "value",
      learning_library_statistics: shape.values("total_completed total_views unique_lesson_and_path_views"),
    },
  },
  { name: "POST /api/v1/users", type: "create_user", answer: shape.user, body: aNewUser },
  { name: "PUT /api/v1/users/:user_id", type: "update_user", answer: shape.user, body: aUserUpdate },
  { name: "PUT /api/v1/users/:user_id/archive", type: "user", answer: shape.user },
  { name: "PUT /api/v1/users/:user_id/restore", type: "user", answer: shape.user },
  { name: "DELETE /api/v1/users/:user_id", type: "delete_user", answer: shape.values("type id") },
  { name: "GET /api/v1/users/:user_id/groups", type: "user_groups", answer: shape.userGroups },
  {
    name: "PUT /api/v1/users/:user_id/groups",
    type: "update_user_groups",
    answer: shape.userGroups,
    body: ({ group_id }) => ({
      memberships: [{ id: group_id }],
      managing: [{ id: group_id, remove: "true" }],
    }),
  },
  {
    name: "GET /api/v1/users/:user_id/assignments",
    type: "user_assignments",
    answer: shape.list("assignments", shape.userAssignment),
  },
  {
    name: "POST /api/v1/users/:user_id/assignments",
    type: "create_user_assignments",
    answer: shape.list("assignments", shape.userAssignment),
    body: ({ lesson_id, path_id }) => ({
      assignments: [
        { assignable_id: lesson_id, assignable_type: "Lesson", due_by: "2099-12-31", notify: false },
        { assignable_id: path_id, assignable_type: "LearningPaths::Path" },
      ],
    }),
  },
];

export const groupsOperations: readonly Expected[] = [
  { name: "GET /api/v1/groups", type: "groups", answer: shape.list("groups", shape.groupSummary) },
  { name: "GET /api/v1/groups/:group_id", type: "group", answer: shape.group },
  {
    name: "POST /api/v1/groups",
    type: "create_group",
    answer: shape.group,
    body: ({ user_id }) => ({ name: "Fresh group", members: [{ id: user_id }], managers: [{ id: user_id }] }),
  },
  {
    name: "PUT /api/v1/groups/:group_id",
    type: "update_group",
    answer: shape.group,
    body: ({ user_id }) => ({
      name: "Renamed",
      members: [{ id: user_id }],
      managers: [{ id: user_id, remove: "true" }],
    }),
  },
  { name: "PUT /api/v1/groups/:group_id/archive", type: "group", answer: shape.group },
  { name: "PUT /api/v1/groups/:group_id/restore", type: "group", answer: shape.group },
  {
    name: "DELETE /api/v1/groups/:group_id",
    type: "delete_group",
    answer: shape.values("type id name archived_at archived_by_user_id"),
  },
  {
    name: "GET /api/v1/groups/:group_id/assignments",
    answer: [shape.values("id assignable_id assignable_type group_id")],
  },
];

export const lessonsOperations: readonly Expected[] = [
  { name: "GET /api/v1/lessons", type: "lessons", answer: shape.list("lessons", shape.titled) },
  { name: "GET /api/v1.1/lessons", type: "lessons", answer: shape.list("lessons", shape.listedLesson) },
  { name: "GET /api/v1/lessons/:lesson_id", type: "lesson", answer: shape.lesson },
  { name: "GET /api/v1.1/lessons/:lesson_id", type: "lesson", answer: shape.lessonWithoutCounts },
  {
    name: "PUT /api/v1/lessons/:lesson_id",
    type: "update_lesson",
    answer: shape.lesson,
    body: () => ({ title: "Another title", retake_score: 70, public: true }),
  },
  { name: "PUT /api/v1/lessons/:lesson_id/archive", type: "lesson", answer: shape.lesson },
  { name: "PUT /api/v1/lessons/:lesson_id/restore", type: "lesson", answer: shape.lesson },
  {
    name: "GET /api/v1/lessons/:lesson_id/assignments",
    type: "lesson_assignments",
    answer: shape.page("assignments", shape.assignment),
  },
  {
    name: "GET /api/v1.1/lessons/:lesson_id/assignments/completed",
    type: "lesson_assignments_completed",
    answer: shape.values("type completed_count"),
  },
  {
    name: "GET /api/v1/lessons/:lesson_id/total_completions",
    type: "lesson_total_completion_count",
    answer: shape.values("type completion_count"),
  },
  {
    name: "GET /api/v1/lessons/:lesson_id/completion_breakdown",
    type: "lesson_completion_breakdown",
    answer: shape.values("type total via_assignment via_other"),
  },
  ...assigning("lesson", shape.lessonAssigned),
];

export const pathsOperations: readonly Expected[] = [
  { name: "GET /api/v1/paths", type: "paths", answer: shape.list("paths", shape.pathSummary) },
  { name: "GET /api/v1.1/paths", type: "paths", answer: shape.list("paths", shape.listedPath) },
  { name: "GET /api/v1/paths/:path_id", type: "path", answer: shape.path },
  {
    name: "GET /api/v1/paths/:path_id/total_completions",
    type: "path_total_completion_count",
    answer: shape.values("type completion_count"),
  },
  { name: "PUT /api/v1/paths/:path_id/archive", type: "path", answer: shape.path },
  { name: "PUT /api/v1/paths/:path_id/restore", type: "path", answer: shape.path },
  ...assigning("path", shape.assigned),
  {
    name: "GET /api/v1/paths/:path_id/assignments",
    type: "path_assignments",
    answer: shape.page("assignments", shape.assignment),
  },
  {
    name: "GET /api/v1/paths/:path_id/assignments/completed",
    type: "path_assignments_completed",
    answer: shape.values("type completed_count"),
  },
];

export const coursesOperations: readonly Expected[] = [
  { name: "GET /api/v1/courses", type: "courses", answer: shape.list("courses", shape.titled) },
  { name: "GET /api/v1/courses/:course_id", type: "course", answer: shape.course },
  {
    name: "GET /api/v1.1/courses/:course_id",
    type: "course",
    answer: {
      ...shape.values("type resource_type id owner_id title description"),
      lessons: [shape.values("id title")],
    },
  },
  { name: "PUT /api/v1/courses/:course_id/archive", type: "course", answer: shape.course },
  { name: "PUT /api/v1/courses/:course_id/restore", type: "course", answer: shape.course },
  {
    name: "GET /api/v1/courses/:course_id/assignments",
    type: "course_assignments",
    answer: shape.page("assignments", shape.assignment),
  },
  {
    name: "GET /api/v1.1/courses/:course_id/assignments/completed",
    type: "course_assignments_completed",
    answer: shape.values("type completed_count"),
  },
  ...assigning("course", shape.assigned),
];

export const tagsOperations: readonly Expected[] = [
  { name: "GET /api/v1/tags", type: "tags", answer: shape.list("tags", shape.tag) },
  { name: "GET /api/v1/tags/:tag_id", type: "tag", answer: { type: "value", ...shape.tag } },
  {
    name: "GET /api/v1/tags/:tag_id/lessons",
    type: "tag_lessons",
    answer: shape.list("lessons", shape.taggedLesson),
  },
  {
    name: "GET /api/v1/tags/:tag_id/paths",
    type: "tag_paths",
    answer: shape.list("paths", shape.taggedPath),
  },
  {
    name: "GET /api/v1/tags/:tag_id/courses",
    type: "tag_courses",
    answer: shape.list("courses", shape.taggedCourse),
  },
];

export const assignmentsOperations: readonly Expected[] = [
  {
    name: "GET /api/v1/assignments",
    type: "assignments",
    answer: shape.page("assignments", shape.assignment),
  },
  {
    name: "GET /api/v1.1/assignments",
    type: "assignments",
    answer: shape.page("assignments", shape.assignmentInFull),
  },
  {
    name: "GET /api/v1/assignments/:status",
    type: "assignments",
    answer: shape.page("assignments", shape.assignment),
  },
];

export const settingsOperations: readonly Expected[] = [
  {
    name: "PUT /api/v1/company_settings",
    answer: shape.values("lesson_completed_callback_url lesson_completed_callback_authorization"),
    body: () => ({
      lesson_completed_callback_url: "https://hooks.example.com/done?a=1",
      lesson_completed_callback_authorization: "Bearer of news",
    }),
  },
];

/** What clients call beside the contract's tables: a sign of life, and POST where PUT assigns. */
export const furtherOperations: readonly Expected[] = [
  { name: "GET /api/v1/ping", answer: { response: "value" } },
  ...assigning("lesson", shape.lessonAssigned, "POST"),
  ...assigning("path", shape.assigned, "POST"),
  ...assigning("course", shape.assigned, "POST"),
];

/** The contract's 59 operations. */
export const contractOperations: readonly Expected[] = [
  ...usersOperations,
  ...groupsOperations,
  ...lessonsOperations,
  ...pathsOperations,
  ...coursesOperations,
  ...tagsOperations,
  ...assignmentsOperations,
  ...settingsOperations,
];

export const allOperations: readonly Expected[] = [...contractOperations, ...furtherOperations];

function assigning(kind: "lesson" | "path" | "course", item: Shape, method = "PUT"): Expected[] {
  return [
    {
      name: `${method} /api/v1/${kind}s/:${kind}_id/assignments`,
      type: `update_${kind}_assignments`,
      answer: shape.list("assignments", item),
      body: ({ user_id }) => ({
        assignments: [{ assignee_id: user_id, due_by: "2099-01-31T10:00:00Z", notify: false }],
      }),
    },
  ];
}

function aNewUser({ role_id, field_id, mark }: Content): object {
  return {
    ...aProfile,
    name: `${mark} Newcomer`,
    email: `newcomer@${mark.toLowerCase()}.example`,
    role_id,
    ext_uid: "newcomer",
    notify: false,
    custom_user_fields: [
      { custom_user_field_id: field_id, value: "blue" },
      { name: "Made by name", value: "new" },
    ],
  };
}

function aUserUpdate({ role_id, field_id, mark }: Content): object {
  return {
    ...aProfile,
    name: `${mark} Changed`,
    email: `changed@${mark.toLowerCase()}.example`,
    role_id,
    ext_uid: "changed",
    custom_user_fields: [{ custom_user_field_id: field_id, value: "red" }],
  };
}

const aProfile = {
  job_title: "Engineer",
  business_unit: "North",
  department: "Tools",
  location: "Oslo",
  locale: "sv",
  hire_date: "2024-02-29",
  manager_name: "Mona",
};
