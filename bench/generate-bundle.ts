import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { parseArgs } from "node:util";

/** How many of each a generated bundle has. */
export interface Sizes {
  readonly users: number;
  readonly groups: number;
  readonly lessons: number;
  readonly paths: number;
  /** At most users × (lessons + paths): nobody has a thing twice. */
  readonly assignments: number;
}

export const largeSizes: Sizes = {
  users: 10_000,
  groups: 200,
  lessons: 500,
  paths: 100,
  assignments: 1_000_000,
};

/** Characters that are given at once. */
const CHUNK_LENGTH = 256 * 1024;

/**
 * Generates a bundle piece by piece: a company of any size, in the shapes of the API's answers, the same every time.
 * @throws RangeError for more assignments than there are pairs of a user and a thing.
 */
export function* generateBundle(sizes: Sizes): Generator<string> {
  if (sizes.assignments > sizes.users * (sizes.lessons + sizes.paths)) {
    throw new RangeError("there are fewer pairs of a user and a thing than assignments");
  }
  let text = "{";
  for (const [key, elements] of Object.entries(partsOf(sizes))) {
    text += `${text === "{" ? "" : ","}\n${JSON.stringify(key)}:[`;
    let separator = "\n";
    for (const element of elements) {
      text += separator + JSON.stringify(element);
      separator = ",\n";
      if (text.length < CHUNK_LENGTH) continue;
      yield text;
      text = "";
    }
    text += "]";
  }
  yield `${text}\n}\n`;
}

function partsOf(sizes: Sizes) {
  return {
    custom_user_fields: [
      { id: 1, name: "Cost centre" },
      { id: 2, name: "Shirt size" },
    ],
    users: count(sizes.users).map(toUser),
    groups: count(sizes.groups).map((id) => toGroup(id, sizes)),
    group_assignments: count(sizes.groups).map((id) =>
      Object.assign({ id, group_id: id }, thingOf(id * 7, sizes)),
    ),
    tags: count(20).map((id) => ({ id, resource_type: "tag", name: `Tag ${id}` })),
    lessons: count(sizes.lessons).map(toLesson),
    paths: count(sizes.paths).map((id) => toPath(id, sizes)),
    courses: [],
    assignments: count(sizes.assignments).map((id) => toAssignment(id, sizes)),
  };
}

/** The numbers from 1, one at a time. */
function* count(most: number): Generator<number> {
  for (let number = 1; number <= most; number += 1) yield number;
}

function toUser(id: number) {
  return {
    id,
    resource_type: "user",
    name: `Person ${id} of Everywhere`,
    email: `person.${id}@example.com`,
    role: id % 50 === 0 ? "manager" : "learner",
    role_id: id % 50 === 0 ? 36 : 32,
    ext_uid: `E-${id}`,
    job_title: `Job ${id % 90}`,
    business_unit: `Unit ${id % 9}`,
    department: `Department ${id % 40}`,
    location: `Place ${id % 25}`,
    locale: "en",
    hire_date: "2019-04-01",
    manager_name: null,
    archived_at: id % 25 === 0 ? "2024-10-13T09:34:24.151+00:00" : null,
    archived_by_user_id: null,
    custom_user_field_data: [
      { id: 2 * id - 1, custom_user_field_id: 1, name: "Cost centre", value: `CC ${id % 70}` },
      { id: 2 * id, custom_user_field_id: 2, name: "Shirt size", value: "M" },
    ],
    mobile_phone_number: null,
    created_at: time(id),
  };
}

function toGroup(id: number, { users }: Sizes) {
  const members = [...count(Math.min(users, 100))].map((step) => ({
    id: 1 + ((id * 31 + step * 17) % users),
  }));
  const distinct = [...new Map(members.map((member) => [member.id, member])).values()];
  return {
    id,
    resource_type: "group",
    name: `Group ${id}`,
    archived_at: null,
    archived_by_user_id: null,
    members: distinct,
    managers: [{ id: 1 + (id % users) }],
  };
}

const active = { last_updated_at: null, archived_at: null, archived_by_user_id: null };

function toLesson(id: number) {
  return {
    id,
    resource_type: "lesson",
    title: `Lesson ${id}`,
    description: "What there is to learn. ".repeat(20),
    assignees_count: 0,
    completed_count: 0,
    retake_score: 80,
    public: id % 2 === 0,
    created_at: time(id),
    ...active,
    tags: [{ id: 1 + (id % 20), name: `Tag ${1 + (id % 20)}`, resource_type: "tag" }],
  };
}

/** Every fourth path holds the one before it, so that contents are nested. */
function toPath(id: number, { lessons }: Sizes) {
  return {
    id,
    resource_type: "path",
    title: `Path ${id}`,
    description: "A way.",
    enforced_order: id % 2 === 0,
    public: false,
    created_at: time(id),
    ...active,
    published_at: null,
    publisher_id: null,
    tags: [],
    is_certification: id % 10 === 0,
    contents: [
      ...lessonsOfPath(id, lessons).map((lesson) => ({ id: lesson, resource_type: "lesson", title: "" })),
      {
        id,
        resource_type: "wait_step",
        effect: "locked",
        condition: "prev_step_finished",
        unit: "days",
        amount: 7,
      },
      ...(id % 4 === 0 ? [{ id: id - 1, resource_type: "path", title: "", contents: [] }] : []),
    ],
  };
}

const LESSONS_IN_PATH = 5;

function lessonsOfPath(id: number, lessons: number): number[] {
  const own = [...count(Math.min(LESSONS_IN_PATH, lessons))].map(
    (step) => 1 + ((id * 11 + step * 3) % lessons),
  );
  return [...new Set(own)];
}

function thingOf(number: number, { lessons, paths }: Sizes) {
  const place = number % (lessons + paths);
  return place < lessons
    ? { assignable_type: "Lesson", assignable_id: place + 1 }
    : { assignable_type: "LearningPaths::Path", assignable_id: place - lessons + 1 };
}

/** Half are completed; every user has a row of neighbouring things, and each begins elsewhere. */
function toAssignment(id: number, sizes: Sizes) {
  const assignee_id = 1 + ((id - 1) % sizes.users);
  const thing = thingOf(Math.trunc((id - 1) / sizes.users) + assignee_id * 13, sizes);
  const isPath = thing.assignable_type !== "Lesson";
  const isCompleted = id % 2 === 0;
  const isPending = id % 31 === 0 && !isCompleted;
  const isBegun = isCompleted || isPending || id % 3 === 0;
  return {
    id,
    resource_type: "assignment",
    assignee_id,
    ...thing,
    ext_uid: `E-${assignee_id}`,
    assigned_at: time(id),
    due_by: id % 4 === 0 ? null : `20${20 + (id % 12)}-06-${10 + (id % 20)}T00:00:00Z`,
    reassigned_at: null,
    started_at: isBegun ? time(id + 86_400) : null,
    completed_at: isCompleted ? time(id + 172_800) : null,
    updated_at: time(id + (isCompleted ? 172_800 : 86_400)),
    status: isCompleted ? "Completed" : isPending ? "Grade Pending" : "Incomplete",
    score: isCompleted ? 80 + (id % 21) : null,
    ...(isPath
      ? { contents: toContents(id, thing.assignable_id, { sizes, isCompleted }), is_certification: false }
      : {}),
  };
}

function toContents(
  id: number,
  path: number,
  { sizes, isCompleted }: { sizes: Sizes; isCompleted: boolean },
) {
  return lessonsOfPath(path, sizes.lessons).map((lesson, place) => {
    const isDone = isCompleted || (id % 3 === 0 && place < 2);
    return {
      id: lesson,
      resource_type: "lesson",
      started_at: isDone ? time(id + 90_000) : null,
      completed_at: isDone ? time(id + 100_000) : null,
      score: isDone ? 90 : undefined,
      status: isDone ? "Completed" : "Incomplete",
    };
  });
}

const FIRST_TIME_MS = Date.parse("2023-01-01T00:00:00Z");

/** A time so many seconds after the first, wrapped to stay within a few years. */
function time(seconds: number): string {
  return `${new Date(FIRST_TIME_MS + (seconds % 100_000_000) * 1000).toISOString().slice(0, 19)}Z`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      users: { type: "string", default: String(largeSizes.users) },
      groups: { type: "string", default: String(largeSizes.groups) },
      lessons: { type: "string", default: String(largeSizes.lessons) },
      paths: { type: "string", default: String(largeSizes.paths) },
      assignments: { type: "string", default: String(largeSizes.assignments) },
      out: { type: "string" },
    },
  });
  const { out, ...texts } = values;
  const sizes: Sizes = {
    users: Number(texts.users),
    groups: Number(texts.groups),
    lessons: Number(texts.lessons),
    paths: Number(texts.paths),
    assignments: Number(texts.assignments),
  };
  const target = out === undefined ? process.stdout : createWriteStream(out);
  for (const text of generateBundle(sizes)) if (!target.write(text)) await once(target, "drain");
  if (target !== process.stdout) {
    target.end();
    await finished(target);
  }
}
