import type { Static } from "typebox";
import type { AssignableType } from "../assignments/assignments.ts";
import { moment, momentOrNull } from "./check.ts";
import { type Import, importPart, type Place } from "./part.ts";
import { Rows } from "./rows.ts";
import * as tables from "./tables.ts";
import { CourseItem, GroupAssignmentItem, LessonItem, PathItem, TagItem } from "./schema.ts";

/** Imports the tags; what they mark says so itself. */
export async function importTags(job: Import): Promise<number> {
  const tags = new Rows(tables.tags);
  return importPart(job, "tags", {
    schema: TagItem,
    tables: [tags],
    take({ id, name }, { element, pointer }) {
      job.ids.note("tags", id);
      tags.add({ id, name }, element, pointer);
    },
  });
}

/** Imports the lessons. */
export async function importLessons(job: Import): Promise<number> {
  const { assignables, taggings, addThing } = thingRows(job, "Lesson");
  const lessons = new Rows(tables.lessons);
  return importPart(job, "lessons", {
    schema: LessonItem,
    tables: [assignables, lessons, taggings],
    take(item, place) {
      addThing(item, place);
      job.ids.note("lessons", item.id);
      const { description = null, retake_score } = item;
      lessons.add({ ...contentRow(item), description, retake_score }, place.element, place.pointer);
    },
  });
}

/** Imports the paths, without what is in them: a path may hold another that comes later in the file. */
export async function importPaths(job: Import): Promise<number> {
  const { assignables, taggings, addThing } = thingRows(job, "LearningPaths::Path");
  const paths = new Rows(tables.paths);
  return importPart(job, "paths", {
    schema: PathItem,
    tables: [assignables, paths, taggings],
    take(item, place) {
      addThing(item, place);
      job.ids.note("paths", item.id);
      job.ids.note("users", item.publisher_id);
      const row = {
        ...contentRow(item),
        description: item.description ?? "",
        enforced_order: item.enforced_order,
        is_certification: item.is_certification,
        published_at: momentOrNull(item.published_at),
        publisher_id: item.publisher_id ?? null,
      };
      paths.add(row, place.element, place.pointer);
    },
  });
}

/** Imports the courses with their lessons. */
export async function importCourses(job: Import): Promise<number> {
  const { assignables, taggings, addThing } = thingRows(job, "Course");
  const courses = new Rows(tables.courses);
  const lessons = new Rows(tables.courseLessons);
  return importPart(job, "courses", {
    schema: CourseItem,
    tables: [assignables, courses, taggings, lessons],
    take(item, place) {
      addThing(item, place);
      job.ids.note("courses", item.id);
      job.ids.note("users", item.owner_id);
      const { description = null, owner_id = null } = item;
      courses.add({ ...contentRow(item), description, owner_id }, place.element, place.pointer);
      for (const [position, { id: lesson_id }] of item.lessons.entries()) {
        const row = { course_id: item.id, position, lesson_id };
        lessons.add(row, place.element, `${place.pointer}/lessons/${position}`);
      }
    },
  });
}

/** Imports what groups are assigned. It gives nobody anything: who has what the assignments say. */
export async function importGroupAssignments(job: Import): Promise<number> {
  const assigned = new Rows(tables.groupAssignments);
  return importPart(job, "group_assignments", {
    schema: GroupAssignmentItem,
    tables: [assigned],
    take({ id, group_id, assignable_type, assignable_id }, { element, pointer }) {
      job.ids.note("group_assignments", id);
      assigned.add({ id, group_id, assignable_type, assignable_id }, element, pointer);
    },
  });
}

type Content = Static<typeof LessonItem> | Static<typeof PathItem> | Static<typeof CourseItem>;

function contentRow(item: Content) {
  return {
    id: item.id,
    title: item.title,
    public: item.public,
    created_at: moment(item.created_at),
    last_updated_at: momentOrNull(item.last_updated_at),
    archived_at: momentOrNull(item.archived_at),
    archived_by_user_id: item.archived_by_user_id ?? null,
  };
}

/** The rows that every lesson, path and course has beside its own: what is counted of it, and its tags. */
function thingRows(job: Import, assignable_type: AssignableType) {
  const assignables = new Rows(tables.assignables);
  const taggings = new Rows(tables.taggings);
  const addThing = ({ id, tags = [], archived_by_user_id }: Content, { element, pointer }: Place) => {
    // All is counted anew when everything is there.
    const counts = { assignees_count: 0, completed_count: 0, total_completions: 0, via_assignment: 0 };
    assignables.add({ assignable_type, assignable_id: id, ...counts }, element, pointer);
    job.ids.note("users", archived_by_user_id);
    for (const [index, tag] of tags.entries()) {
      const row = { tag_id: tag.id, taggable_type: assignable_type, taggable_id: id };
      taggings.add(row, element, `${pointer}/tags/${index}`);
    }
  };
  return { assignables, taggings, addThing };
}
