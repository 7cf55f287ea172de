import type { Static } from "typebox";
import type { Tx, WriteTx } from "../db/db.ts";
import type { Tag } from "./schema.ts";

/** What can be tagged: all of a kind, or those of it that have these ids. */
interface Taggables {
  readonly type: "Lesson" | "LearningPaths::Path" | "Course";
  readonly ids?: readonly number[];
}

/** The tags of lessons, paths or courses by the id of what they mark, each in the order of the tags' ids. */
export async function listTagsOf(
  tx: Tx,
  { type, ids }: Taggables,
): Promise<Map<number, Static<typeof Tag>[]>> {
  let query = tx.sql
    .selectFrom("taggings")
    .innerJoin("tags", (join) =>
      join.onRef("tags.company_id", "=", "taggings.company_id").onRef("tags.id", "=", "taggings.tag_id"),
    )
    .select(["taggings.taggable_id", "tags.id", "tags.name"])
    .where("taggings.company_id", "=", tx.company.id)
    .where("tags.company_id", "=", tx.company.id)
    .where("taggings.taggable_type", "=", type)
    .orderBy("tags.id");
  if (ids !== undefined)
    query = query.where((eb) => eb("taggings.taggable_id", "=", eb.fn.any(eb.val([...ids]))));
  const tags = new Map<number, Static<typeof Tag>[]>();
  for (const { taggable_id, id, name } of await query.execute()) {
    const known = tags.get(taggable_id) ?? [];
    known.push({ id, resource_type: "tag", name });
    tags.set(taggable_id, known);
  }
  return tags;
}

/** Marks a lesson or a path with these tags, which exist, and with no others. */
export async function replaceTagsOf(
  tx: WriteTx,
  { type, id }: { readonly type: "Lesson" | "LearningPaths::Path"; readonly id: number },
  tag_ids: readonly number[],
): Promise<void> {
  await tx.sql
    .deleteFrom("taggings")
    .where("company_id", "=", tx.company.id)
    .where("taggable_type", "=", type)
    .where("taggable_id", "=", id)
    .execute();
  if (tag_ids.length === 0) return;
  await tx.sql
    .insertInto("taggings")
    .values(
      tag_ids.map((tag_id) => ({ company_id: tx.company.id, tag_id, taggable_type: type, taggable_id: id })),
    )
    .execute();
}
