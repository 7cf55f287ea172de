import assert from "node:assert/strict";

/**
 * What the contract says an answer looks like: a plain value, an array of one shape, an object with exactly these keys
 * (a name that ends in `?` may be absent), or a choice by what is there. It is written by hand from the contract, so
 * that a schema which drifts from it is found.
 */
export type Shape = "value" | readonly [Shape] | ShapeOfObject | ((value: object) => Shape);
export interface ShapeOfObject {
  readonly [key: string]: Shape;
}

/** Fails unless the value has the shape, and says where it has not. */
export function assertShape(value: unknown, shape: Shape, place: string): void {
  if (shape === "value") {
    assert.ok(value === null || typeof value !== "object", `${place} is a plain value`);
  } else if (typeof shape === "function") {
    assertShape(value, shape(Object(value)), place);
  } else if (isArrayShape(shape)) {
    assert.ok(Array.isArray(value), `${place} is an array`);
    for (const [index, item] of value.entries()) assertShape(item, shape[0], `${place}[${index}]`);
  } else {
    assertObject(value, shape, place);
  }
}

function assertObject(value: unknown, shape: ShapeOfObject, place: string): void {
  assert.ok(typeof value === "object" && value !== null, `${place} is an object`);
  const given = new Map(Object.entries(value));
  const wanted = Object.entries(shape).filter(([key]) => !key.endsWith("?") || given.has(key.slice(0, -1)));
  const keys = wanted.map(([key]) => key.replace("?", ""));
  assert.deepEqual([...given.keys()].toSorted(), keys.toSorted(), `the keys of ${place}`);
  for (const [key, inner] of wanted) {
    const name = key.replace("?", "");
    assertShape(given.get(name), inner, `${place}.${name}`);
  }
}

function isArrayShape(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

export function values(names: string): ShapeOfObject {
  return Object.fromEntries(names.split(" ").map((name) => [name, "value" as const]));
}

/** A list that is returned whole. */
export function list(key: string, item: Shape): Shape {
  return { type: "value", [key]: [item] };
}

/** A list that is returned in pages; the total is named after what is listed. */
export function page(key: string, item: Shape): Shape {
  return { ...values("type total_pages page per_page"), [`total_${key}`]: "value", [key]: [item] };
}

const archive = values("archived_at archived_by_user_id");
const named = values("id name");

export const userSummary: ShapeOfObject = {
  ...values(
    "id resource_type name email role role_id ext_uid job_title business_unit department location locale",
  ),
  ...values("hire_date manager_name archived_at archived_by_user_id"),
};
const customData = { custom_user_field_data: [values("id custom_user_field_id name value")] } as const;
export const user: ShapeOfObject = { type: "value", ...userSummary, ...customData };
export const listedUser: ShapeOfObject = {
  ...userSummary,
  ...customData,
  mobile_phone_number: "value",
  groups: { member: [named], manager: [named] },
};
export const userGroups: ShapeOfObject = { type: "value", memberships: [named], managing: [named] };

export const groupSummary: ShapeOfObject = { ...named, ...archive };
export const group: ShapeOfObject = {
  ...values("type resource_type"),
  ...groupSummary,
  members: [userSummary],
  managers: [userSummary],
};

export const tag = values("id resource_type name");
const links = values("overview shareable");
const counts = values("assignees_count completed_count");

export const titled: ShapeOfObject = { ...values("id title"), ...archive };
const lessonFields = {
  ...values("id resource_type title retake_score public created_at last_updated_at"),
  ...archive,
  tags: [tag],
} as const;
export const listedLesson: ShapeOfObject = { ...lessonFields, links: values("overview shareable?") };
export const taggedLesson: ShapeOfObject = { ...lessonFields, ...counts, description: "value", links };
export const lesson: ShapeOfObject = { type: "value", ...taggedLesson };
export const lessonWithoutCounts: ShapeOfObject = { ...lessonFields, ...values("type description"), links };

const contentsItems: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ["lesson", { resource_type: "value", ...titled }],
  ["wait_step", values("resource_type id effect condition unit amount")],
  ["path", { resource_type: "value", ...titled, contents: (nested) => contentsOf(nested) }],
  ["placeholder", values("resource_type id description")],
]);

function contentsOf(_contents: object): Shape {
  return [(item) => byResourceType(item, contentsItems)];
}

function byResourceType(item: object, shapes: ReadonlyMap<unknown, Shape>): Shape {
  const shape = shapes.get("resource_type" in item ? item.resource_type : undefined);
  assert.ok(shape, `${JSON.stringify(item)} is an item of contents`);
  return shape;
}

export const pathSummary: ShapeOfObject = { ...titled, is_certification: "value" };
const pathFields = {
  ...values(
    "id resource_type title public created_at last_updated_at published_at publisher_id is_certification",
  ),
  ...archive,
  tags: [tag],
  links,
} as const;
export const listedPath: ShapeOfObject = pathFields;
export const taggedPath: ShapeOfObject = {
  ...pathFields,
  ...values("description enforced_order"),
  contents: contentsOf,
};
export const path: ShapeOfObject = { type: "value", ...taggedPath };

export const course: ShapeOfObject = {
  ...values("type resource_type id title description public created_at last_updated_at"),
  ...counts,
  ...archive,
  lessons: [values("id title")],
  tags: [tag],
  links,
};
export const taggedCourse: ShapeOfObject = {
  ...values("id resource_type title description"),
  ...counts,
  lessons: [{ ...values("id resource_type title retake_score description"), ...counts }],
};

/** An assignment as the assign operations of paths and courses answer it. */
export const assigned = values(
  "id resource_type assignee_id assignable_type assignable_id ext_uid due_by reassigned_at completed_at status score",
);
export const lessonAssigned: ShapeOfObject = { ...assigned, updated_at: "value" };
export const userAssignment: ShapeOfObject = { ...assigned, ...values("type updated_at") };
const assignmentFields = { ...assigned, ...values("assigned_at started_at updated_at") };
export const assignment: ShapeOfObject = assignmentFields;

const progressItems: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ["lesson", values("id resource_type started_at completed_at score? status")],
  ["path", { ...values("id resource_type"), contents: (nested) => progressOf(nested) }],
]);

function progressOf(_contents: object): Shape {
  return [(item) => byResourceType(item, progressItems)];
}

export const assignmentInFull: Shape = (found) =>
  "assignable_type" in found && found.assignable_type === "LearningPaths::Path"
    ? { ...assignmentFields, contents: progressOf, is_certification: "value" }
    : assignmentFields;
