import { Type, type TSchema } from "typebox";
import type { AssignableType, StoredStatus } from "../assignments/assignments.ts";
import { nullable } from "../http/schema.ts";
import { type Locale, locales, NewUser } from "../users/schema.ts";

/**
 * What an import reads of each element of a bundle. These are the API's own shapes: what an answer holds beyond them
 * (counts, links, names of what an id tells) is computed anew and ignored. The keys of a list's item that a detail has
 * more of are required where they hold data, so that a list given in place of details is refused and loses nothing.
 * Keys that no answer has are said to be further keys: an export writes them, so that nothing is lost.
 */

/** The largest id that is taken: what is made later goes on from the largest, and has to have room. */
const LARGEST_ID = 9_000_000_000_000_000;
const LARGEST_INTEGER = 2_147_483_647;

const Id = Type.Integer({ minimum: 1, maximum: LARGEST_ID });
const Percent = Type.Integer({ minimum: 0, maximum: 100 });
const Moment = Type.String({ format: "moment" });

function text(maxLength: number, minLength = 0) {
  return Type.String({ minLength, maxLength, format: "text" });
}

/** A key that may be left out, and null. */
function optional<S extends TSchema & { readonly type: string }>(schema: S) {
  return Type.Optional(nullable(schema));
}

function oneOf<const T extends string>(...values: readonly T[]) {
  return Type.Unsafe<T>({ type: "string", enum: values });
}

const AssignableTypes = oneOf<AssignableType>("Lesson", "LearningPaths::Path", "Course");
const StoredStatuses = oneOf<StoredStatus>("Incomplete", "Grade Pending", "Completed");

const archive = { archived_at: optional(Moment), archived_by_user_id: optional(Id) };
const References = Type.Array(Type.Object({ id: Id }));
const name = text(255, 1);

/** The company's own: its time zone, the webhook setting, and the largest id that each kind of thing ever had. */
export const CompanyItem = Type.Object({
  time_zone: Type.Optional(text(255)),
  lesson_completed_callback_url: optional(text(10_000)),
  lesson_completed_callback_authorization: optional(text(10_000)),
  last_ids: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: LARGEST_ID }))),
});

export const RoleItem = Type.Object({ id: Id, name });

export const CustomUserFieldItem = Type.Object({ id: Id, name });

/** A user as version 1.1 lists them. Further keys: created_at, sso_id, library_uses. Their groups tell who is in them. */
export const UserItem = Type.Object({
  id: Id,
  name: Type.String({ ...NewUser.properties.name, format: "text" }),
  email: Type.String({ ...NewUser.properties.email, format: "text" }),
  role_id: Id,
  ext_uid: optional(text(255)),
  job_title: optional(text(255)),
  business_unit: optional(text(255)),
  department: optional(text(255)),
  location: optional(text(255)),
  locale: Type.Optional(oneOf<Locale>(...locales)),
  hire_date: optional(Type.String({ format: "date" })),
  manager_name: optional(text(255)),
  ...archive,
  custom_user_field_data: Type.Optional(
    Type.Array(Type.Object({ id: Id, custom_user_field_id: Id, value: text(500) })),
  ),
  mobile_phone_number: optional(text(255)),
  created_at: optional(Moment),
  sso_id: optional(text(255)),
  library_uses: Type.Optional(
    Type.Array(
      Type.Object({
        assignable_type: AssignableTypes,
        assignable_id: Id,
        views: Type.Integer({ minimum: 0, maximum: LARGEST_INTEGER }),
        completions: Type.Integer({ minimum: 0, maximum: LARGEST_INTEGER }),
      }),
    ),
  ),
});

/** A group's detail. Further key: created_at. Of its people only the ids are read. */
export const GroupItem = Type.Object({
  id: Id,
  name,
  ...archive,
  members: References,
  managers: References,
  created_at: optional(Moment),
});

export const GroupAssignmentItem = Type.Object({
  id: Id,
  group_id: Id,
  assignable_type: AssignableTypes,
  assignable_id: Id,
});

export const TagItem = Type.Object({ id: Id, name });

const content = {
  id: Id,
  title: text(1_000, 1),
  description: optional(text(100_000)),
  public: Type.Boolean(),
  created_at: Moment,
  last_updated_at: optional(Moment),
  ...archive,
  tags: Type.Optional(References),
};

/** A lesson's detail. */
export const LessonItem = Type.Object({ ...content, retake_score: Percent });

const kinds = {
  resource_type: Type.Optional(oneOf("lesson", "path", "wait_step", "placeholder")),
  /** Some answers say `type` in place of resource_type here. */
  type: Type.Optional(oneOf("lesson", "path", "wait_step", "placeholder")),
};

/** A path's detail. Of the contents its own level is read: a path in it has to be among the paths too. */
export const PathItem = Type.Object({
  ...content,
  enforced_order: Type.Boolean(),
  is_certification: Type.Boolean(),
  published_at: optional(Moment),
  publisher_id: optional(Id),
  contents: Type.Array(
    Type.Object({
      ...kinds,
      id: Id,
      effect: Type.Optional(text(255)),
      condition: Type.Optional(text(255)),
      unit: Type.Optional(text(255)),
      amount: Type.Optional(Type.Integer({ minimum: 0, maximum: LARGEST_INTEGER })),
      description: optional(text(100_000)),
    }),
  ),
});

/** A course's detail of version 1. Further key: owner_id, which version 1.1 shows. */
export const CourseItem = Type.Object({ ...content, lessons: References, owner_id: optional(Id) });

const result = { started_at: optional(Moment), completed_at: optional(Moment), score: optional(Percent) };

/**
 * An assignment as version 1.1 lists it. Further keys: group_id, the group by which the user got it; history, the
 * results of earlier rounds; progress, what the contents can't say of the progress in a path's lessons.
 */
export const AssignmentItem = Type.Object({
  id: Id,
  assignee_id: Id,
  assignable_type: AssignableTypes,
  assignable_id: Id,
  assigned_at: Moment,
  due_by: optional(Moment),
  reassigned_at: optional(Moment),
  ...result,
  updated_at: Moment,
  status: oneOf("Incomplete", "Overdue", "Grade Pending", "Completed"),
  contents: Type.Optional(Type.Array(Type.Unknown())),
  group_id: optional(Id),
  history: Type.Optional(
    Type.Array(
      Type.Object({
        round: Type.Integer({ minimum: 1, maximum: LARGEST_INTEGER }),
        due_by: optional(Moment),
        started_at: optional(Moment),
        completed_at: Moment,
        score: optional(Percent),
        contents: Type.Unknown(),
      }),
    ),
  ),
  progress: Type.Optional(Type.Array(Type.Object({ lesson_id: Id, ...result, status: StoredStatuses }))),
});

/** One element of a path assignment's contents; those of a nested path are looked at one by one. */
export const AssignmentContentItem = Type.Object({
  ...kinds,
  id: Id,
  ...result,
  status: Type.Optional(StoredStatuses),
  contents: Type.Optional(Type.Array(Type.Unknown())),
});
