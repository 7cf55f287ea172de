import { sql } from "kysely";
import type { AssignableType, StoredStatus } from "../assignments/assignments.ts";
import type { Tx } from "../db/db.ts";
import { conflict, invalid, notFound, Problem } from "../http/problem.ts";
import { requireUnlocked } from "./path-progress.ts";

/** An assignment of the learner in which the lesson can be taken: of the lesson itself, or of a path or course with it. */
export interface Place {
  readonly id: number;
  readonly assignable_type: AssignableType;
  /** How the lesson stands in it. */
  readonly status: StoredStatus;
  readonly reassigned_at: string | null;
  /** How often it was completed and assigned anew, plus one. */
  readonly round: number;
}

export interface Wish {
  readonly user_id: number;
  readonly lesson_id: number;
  readonly assignment_id: number | undefined;
  /** Whether everybody may take the lesson without an assignment. */
  readonly isOpenToAll: boolean;
}

/**
 * Finds in which assignment a lesson is to be taken: the one that was named; else that of the lesson itself, else the
 * oldest path or course where it is not locked, else none where it is open to the company.
 * @returns undefined for the library.
 * @throws Problem 404 for a lesson that the learner may not take, 409 where it is locked or completed already.
 */
export async function findPlace(tx: Tx, wish: Wish): Promise<Place | undefined> {
  const places = await findPlaces(tx, wish);
  if (wish.assignment_id !== undefined) return findNamed(tx, places, wish);
  const open = places.filter(({ status }) => status === "Incomplete");
  const unlocked = await findUnlocked(tx, open, wish.lesson_id);
  if (unlocked.place !== undefined || wish.isOpenToAll) return unlocked.place;
  if (unlocked.refusal !== undefined) throw unlocked.refusal;
  if (places.length > 0)
    throw conflict("You have completed this lesson: it can be taken again when it is assigned anew");
  throw notFound("Lesson");
}

async function findNamed(
  tx: Tx,
  places: readonly Place[],
  { assignment_id, lesson_id }: Wish,
): Promise<Place> {
  const place = places.find(({ id }) => id === assignment_id);
  if (place === undefined) {
    throw invalid({ field: "assignment_id", message: "is no assignment of yours that has this lesson" });
  }
  if (place.status !== "Incomplete") {
    throw conflict(
      "You have completed this lesson in this assignment: it can be taken again when it is assigned anew",
    );
  }
  await requirePlaceUnlocked(tx, place, lesson_id);
  return place;
}

async function requirePlaceUnlocked(
  tx: Tx,
  { id, assignable_type }: Place,
  lesson_id: number,
): Promise<void> {
  if (assignable_type === "LearningPaths::Path") await requireUnlocked(tx, { assignment_id: id, lesson_id });
}

async function findUnlocked(
  tx: Tx,
  places: readonly Place[],
  lesson_id: number,
): Promise<{ place?: Place; refusal?: Problem }> {
  let refusal: Problem | undefined;
  for (const place of places) {
    try {
      await requirePlaceUnlocked(tx, place, lesson_id);
      return { place };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      refusal ??= error;
    }
  }
  return refusal === undefined ? {} : { refusal };
}

/** The learner's assignments that have the lesson, those of the lesson itself first: paths at any depth. */
async function findPlaces(tx: Tx, { user_id, lesson_id }: Wish): Promise<Place[]> {
  const { rows } = await sql<Place>`
    with recursive holding (path_id) as (
      select path_id from path_items
      where company_id = ${tx.company.id} and lesson_id = ${lesson_id}
      union
      select path_items.path_id
      from holding
      join path_items on path_items.company_id = ${tx.company.id} and path_items.nested_path_id = holding.path_id
    )
    select assignments.id, assignments.assignable_type, assignments.reassigned_at,
      case when assignments.assignable_type = 'Lesson' or assignments.status <> 'Incomplete' then assignments.status
        else coalesce(progress.status, 'Incomplete') end as status,
      1 + coalesce((
        select max(round) from assignment_results
        where assignment_results.company_id = ${tx.company.id} and assignment_results.assignment_id = assignments.id
      ), 0) as round
    from assignments
    left join lesson_progress progress on progress.company_id = ${tx.company.id}
      and progress.assignment_id = assignments.id and progress.lesson_id = ${lesson_id}
    where assignments.company_id = ${tx.company.id} and assignments.assignee_id = ${user_id} and (
      (assignments.assignable_type = 'Lesson' and assignments.assignable_id = ${lesson_id})
      or (assignments.assignable_type = 'LearningPaths::Path'
        and assignments.assignable_id in (select path_id from holding))
      or (assignments.assignable_type = 'Course' and assignments.assignable_id in (
        select course_id from course_lessons where company_id = ${tx.company.id} and lesson_id = ${lesson_id}
      ))
    )
    order by assignments.assignable_type <> 'Lesson', assignments.id`.execute(tx.sql);
  return rows;
}
