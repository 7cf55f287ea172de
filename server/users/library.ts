import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { forbidden, notFound } from "../http/problem.ts";
import type { LibraryStatistics } from "./schema.ts";

/**
 * What a user viewed and completed in the learning library.
 * @throws Problem 403 where the company's plan lacks the library, 404
 */
export async function getLibraryStatistics(
  tx: Tx,
  user_id: number,
): Promise<Static<typeof LibraryStatistics>> {
  if (!tx.company.has_learning_library) {
    throw forbidden("The learning library is not part of this company's plan");
  }
  const user = await tx.sql
    .selectFrom("users")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .executeTakeFirst();
  if (user === undefined) throw notFound("User");
  const { completed, views, viewed } = await tx.sql
    .selectFrom("library_uses")
    .select((eb) => [
      eb.fn.coalesce(eb.fn.sum<number>("completions"), eb.lit(0)).as("completed"),
      eb.fn.coalesce(eb.fn.sum<number>("views"), eb.lit(0)).as("views"),
      eb.fn.countAll<number>().filterWhere("views", ">", 0).as("viewed"),
    ])
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .where("assignable_type", "<>", "Course")
    .executeTakeFirstOrThrow();
  return {
    type: "user_learning_library_statistics",
    learning_library_statistics: {
      total_completed: completed,
      total_views: views,
      unique_lesson_and_path_views: viewed,
    },
  };
}
