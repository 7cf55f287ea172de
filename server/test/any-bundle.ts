import fc, { type GeneratorValue } from "fast-check";

/** Any small company, as a bundle of a stranger's might be: every kind of thing, odd texts, times of every precision. */
export const anyBundle = fc.gen().map(pickBundle);

function pickBundle(pick: Pick) {
  const people = pickIds(pick, 6).map((id, index) => pickUser(pick, id, index));
  const [tags, lessons] = [pickTags(pick), pickIds(pick, 5)];
  const content = pickContent(pick, { tags: tags.map(({ id }) => id), lessons });
  const things = thingsOf(content);
  const users = people.map((user) => Object.assign(user, { library_uses: pickUses(pick, things) }));
  const groups = pickIds(pick, 3).map((id) => pickGroup(pick, id, users));
  return {
    users,
    groups,
    tags,
    ...content,
    roles: [{ id: 150, name: pickText(pick) }],
    custom_user_fields: [
      { id: 5, name: "Desk" },
      { id: 8, name: pickText(pick, 2) },
    ],
    group_assignments: pickPairs(pick, groups, things).map(([group, thing], index) =>
      Object.assign({ id: 3 * index + 1, group_id: group.id }, thing),
    ),
    assignments: pickPairs(pick, users, things).map(([user, thing], index) =>
      pickAssignment(pick, { id: 7 * index + 2, assignee_id: user.id, ...thing }, lessons),
    ),
  };
}

type Pick = GeneratorValue;

interface Identified {
  readonly id: number;
}

interface Thing {
  readonly assignable_type: string;
  readonly assignable_id: number;
}

function pickUser(pick: Pick, id: number, index: number) {
  return {
    id,
    name:
      pickText(pick)
        .replaceAll(/[!@#$%^&*+=()|[\];`]/g, "")
        .trimStart() || "Nobody",
    email: index === 0 ? "ada@example.com" : `${index}.${id}@Example.com`,
    role_id: pick(fc.constantFrom, 32, 34, 36, 42, 150),
    ext_uid: pick(fc.boolean) ? `E-${id}` : null,
    sso_id: pick(fc.constantFrom, null, "the same"),
    job_title: pick(fc.boolean) ? pickText(pick) : null,
    locale: pick(fc.constantFrom, "en", "zh-CN"),
    hire_date: pick(fc.constantFrom, null, "0001-01-01", "2024-02-29"),
    mobile_phone_number: pick(fc.constantFrom, null, "+49 89 1234"),
    ...pickArchive(pick),
    created_at: pickTime(pick),
    custom_user_field_data: [5, 8]
      .filter(() => pick(fc.boolean))
      .map((field) => ({ id: 10 * id + field, custom_user_field_id: field, value: pickText(pick) })),
  };
}

function pickUses(pick: Pick, things: readonly Thing[]) {
  return things
    .filter(() => pick(fc.boolean))
    .map((thing) => Object.assign({ views: pick(fc.nat), completions: 1 }, thing));
}

function pickGroup(pick: Pick, id: number, users: readonly Identified[]) {
  return {
    id,
    name: pickText(pick).trim() || "Group",
    ...pickArchive(pick),
    created_at: pickTime(pick),
    members: pickSome(pick, users),
    managers: pickSome(pick, users),
  };
}

function pickTags(pick: Pick) {
  return pickIds(pick, 3).map((id) => ({ id, name: pickText(pick) }));
}

interface Known {
  readonly tags: readonly number[];
  readonly lessons: readonly number[];
}

function pickContent(pick: Pick, known: Known) {
  const lessons = known.lessons.map((id) =>
    Object.assign(pickThing(pick, id, known), { retake_score: pick(fc.nat, 100) }),
  );
  const pathIds = pickIds(pick, 4);
  // Each holds only paths that come before it: so no path contains itself.
  const paths = pathIds.map((id, index) =>
    Object.assign(
      pickThing(pick, id, known),
      pickPath(pick, id, { ...known, paths: pathIds.slice(0, index) }),
    ),
  );
  const courses = pickIds(pick, 2).map((id) =>
    Object.assign(pickThing(pick, id, known), {
      owner_id: pick(fc.constantFrom, null, 99),
      lessons: known.lessons.map((lesson) => ({ id: lesson })),
    }),
  );
  return { lessons, paths: pick(fc.boolean) ? paths : paths.toReversed(), courses };
}

/** What lessons, paths and courses have alike. */
function pickThing(pick: Pick, id: number, { tags }: Known) {
  return {
    id,
    title: pickText(pick),
    description: pickText(pick),
    public: pick(fc.boolean),
    created_at: pickTime(pick),
    last_updated_at: pick(fc.boolean) ? pickTime(pick) : null,
    ...pickArchive(pick),
    tags: pickSome(
      pick,
      tags.map((tag) => ({ id: tag })),
    ),
  };
}

function pickPath(pick: Pick, id: number, known: Known & { readonly paths: readonly number[] }) {
  const lessons = known.lessons.filter(() => pick(fc.boolean));
  const wait = { effect: "locked", condition: "prev_step_finished", unit: "days", amount: pick(fc.nat, 90) };
  return {
    enforced_order: pick(fc.boolean),
    is_certification: pick(fc.boolean),
    published_at: pick(fc.boolean) ? pickTime(pick) : null,
    publisher_id: pick(fc.constantFrom, null, 123_456),
    contents: [
      ...lessons.map((lesson) => ({ resource_type: "lesson", id: lesson })),
      // One may be there twice.
      ...known.paths.flatMap((inner) => repeat(pick(fc.nat, 2), { resource_type: "path", id: inner })),
      { resource_type: "wait_step", id, ...wait },
      { resource_type: "placeholder", id, description: pick(fc.boolean) ? pickText(pick) : null },
    ],
  };
}

function thingsOf({ lessons, paths, courses }: ReturnType<typeof pickContent>): Thing[] {
  return [
    ...toThings("Lesson", lessons),
    ...toThings("LearningPaths::Path", paths),
    ...toThings("Course", courses),
  ];
}

function toThings(assignable_type: string, from: readonly Identified[]): Thing[] {
  return from.map(({ id }) => ({ assignable_type, assignable_id: id }));
}

function pickAssignment(
  pick: Pick,
  given: Thing & { readonly id: number; readonly assignee_id: number },
  lessons: readonly number[],
) {
  const status = pick(fc.constantFrom, "Incomplete", "Overdue", "Grade Pending", "Completed");
  const isOver = status === "Completed" || (status === "Grade Pending" && pick(fc.boolean));
  const isPath = given.assignable_type === "LearningPaths::Path";
  return {
    ...given,
    status,
    assigned_at: pickTime(pick),
    updated_at: pickTime(pick),
    due_by: pick(fc.constantFrom, null, "2021-01-01", "2099-12-31T23:59:59.999999Z"),
    reassigned_at: pick(fc.boolean) ? pickTime(pick) : null,
    started_at: pick(fc.boolean) ? pickTime(pick) : null,
    completed_at: isOver ? pickTime(pick) : null,
    score: pick(fc.constantFrom, null, 0, 100),
    group_id: pick(fc.constantFrom, null, 77),
    history: repeat(pick(fc.nat, 2), null).map((_, round) => ({
      round: round + 1,
      due_by: null,
      started_at: null,
      completed_at: pickTime(pick),
      score: 4,
      contents: [{ lesson_id: 9, 'odd "key': [1.5, null, pickText(pick)] }],
    })),
    // Some of these lessons are not in the path.
    ...(isPath && {
      progress: lessons.filter(() => pick(fc.boolean)).map((lesson_id) => pickProgress(pick, lesson_id)),
    }),
  };
}

function pickProgress(pick: Pick, lesson_id: number) {
  const status = pick(fc.constantFrom, "Incomplete", "Grade Pending", "Completed");
  const completed_at = pick(fc.boolean) ? pickTime(pick) : null;
  return {
    lesson_id,
    status,
    started_at: pickTime(pick),
    completed_at,
    score: pick(fc.constantFrom, null, 55),
  };
}

function pickArchive(pick: Pick) {
  const isArchived = pick(fc.boolean);
  return {
    archived_at: isArchived ? pickTime(pick) : null,
    archived_by_user_id: isArchived ? pick(fc.constantFrom, null, 5_000) : null,
  };
}

/** Different ids, ascending; 1 is often among them. */
function pickIds(pick: Pick, most: number): number[] {
  const ids = Array.from({ length: pick(fc.nat, most) }, () =>
    pick(fc.boolean) ? 1 : pick(fc.integer, { min: 1, max: 2_000 }),
  );
  return [...new Set(ids)].toSorted((a, b) => a - b);
}

function pickSome(pick: Pick, from: readonly Identified[]) {
  return from.filter(() => pick(fc.boolean)).map(({ id }) => ({ id }));
}

function pickPairs<A, B>(pick: Pick, first: readonly A[], second: readonly B[]): (readonly [A, B])[] {
  return first.flatMap((a) => second.map((b) => [a, b] as const)).filter(() => pick(fc.boolean));
}

function pickTime(pick: Pick): string {
  const fraction = pick(fc.constantFrom, "", ".5", ".123", ".120", ".000001", ".999999");
  const offset = pick(fc.constantFrom, "Z", "+00:00", "-04:00", "+05:30");
  return `20${pick(fc.integer, { min: 10, max: 23 })}-0${pick(fc.integer, { min: 1, max: 9 })}-28T23:59:5${pick(fc.nat, 9)}${fraction}${offset}`;
}

function pickText(pick: Pick, minLength = 1): string {
  return pick(fc.string, { unit: "grapheme", minLength, maxLength: 20 })
    .replaceAll("\0", " ")
    .padStart(minLength, "x");
}

function repeat<T>(times: number, value: T): T[] {
  return Array.from({ length: times }, () => value);
}
