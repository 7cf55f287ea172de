import { sql } from "kysely";
import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { invalid } from "../http/problem.ts";
import { courseEvents } from "../courses/events.ts";
import { toLine } from "../lessons/content/tidy.ts";
import { lessonEvents } from "../lessons/events.ts";
import { pathEvents } from "../paths/events.ts";
import { indexContents, listTaggedContents } from "../search/documents.ts";
import type { Tag } from "./schema.ts";
import { getTag } from "./tags.ts";
import type { TagInput, TagsQuery } from "./v2-schema.ts";

/** The tags, the oldest first. @throws Problem 422 for a cursor of another list */
export async function listTagPage(
  tx: Tx,
  query: TagsQuery,
): Promise<{ data: Static<typeof Tag>[]; next: string | null }> {
  const page = readCursorPage(query);
  const part = query["filter[q]"]?.trim().toLowerCase();
  const rows = await tx.sql
    .selectFrom("tags")
    .select(["id", "name"])
    .where("company_id", "=", tx.company.id)
    .where("id", ">", idAfter(page) ?? 0)
    .$if(part !== undefined, (select) => select.where(sql<boolean>`position(${part} in lower(name)) > 0`))
    .orderBy("id")
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, rows, {
    position: ({ id }) => [id],
    show: ({ id, name }) => ({ id, resource_type: "tag" as const, name }),
  });
}

/** One tag. @throws Problem 404 */
export async function getTagItem(tx: Tx, tag_id: number): Promise<Static<typeof Tag>> {
  const { id, name } = await getTag(tx, tag_id);
  return { id, resource_type: "tag", name };
}

/** Makes a tag. @throws Problem 422 for the name of another one */
export async function createTag(tx: WriteTx, { name }: TagInput): Promise<Static<typeof Tag>> {
  const wanted = readName(name);
  const at = await lockCounters(tx, "tags");
  await requireFree(tx, wanted);
  return insertTag(tx, wanted, at);
}

/** A name in the form in which Markdown gives it back too. @throws Problem 422 where nothing is left of it. */
function readName(given: string): string {
  const name = toLine(given).trim();
  if (name === "") throw invalid({ field: "name", message: "can't be empty" });
  return name;
}

/** Makes a tag that nobody has. Needs the tags' counter locked. */
export async function insertTag(tx: WriteTx, name: string, at: string): Promise<Static<typeof Tag>> {
  const id = await moveCounter(tx, { kind: "tags", ids: 1, total: 1, at });
  await tx.sql.insertInto("tags").values({ company_id: tx.company.id, id, name }).execute();
  await audit(tx, { action: "create_tag", resource_type: "tag", resource_id: id, after: { name }, at });
  return { id, resource_type: "tag", name };
}

/** Gives a tag another name. @throws Problem 404; 422 for the name of another one */
export async function renameTag(tx: WriteTx, id: number, body: TagInput): Promise<Static<typeof Tag>> {
  const name = readName(body.name);
  const at = await lockCounters(tx, "courses", "lessons", "paths", "tags");
  const tag = await getTag(tx, id);
  if (name !== tag.name) {
    await requireFree(tx, name, id);
    await followTagged(tx, id);
    await tx.sql
      .updateTable("tags")
      .set({ name })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", id)
      .execute();
    await indexContents(tx, await listTaggedContents(tx, id));
    const [before, after] = [{ name: tag.name }, { name }];
    await audit(tx, { action: "update_tag", resource_type: "tag", resource_id: id, before, after, at });
  }
  return { id, resource_type: "tag", name };
}

/** Removes a tag from whatever it marks, drafts included. @throws Problem 404 */
export async function deleteTag(tx: WriteTx, id: number): Promise<{ id: number }> {
  const at = await lockCounters(tx, "courses", "lessons", "paths", "tags");
  const { name } = await getTag(tx, id);
  await followTagged(tx, id);
  const marked = await listTaggedContents(tx, id);
  await tx.sql
    .deleteFrom("taggings")
    .where("company_id", "=", tx.company.id)
    .where("tag_id", "=", id)
    .execute();
  await sql`
    update lesson_drafts set tag_ids = array_remove(tag_ids, ${id}::bigint)
    where company_id = ${tx.company.id} and ${id}::bigint = any(tag_ids)`.execute(tx.sql);
  await tx.sql.deleteFrom("tags").where("company_id", "=", tx.company.id).where("id", "=", id).execute();
  await moveCounter(tx, { kind: "tags", total: -1, at });
  await indexContents(tx, marked);
  await audit(tx, { action: "delete_tag", resource_type: "tag", resource_id: id, before: { name }, at });
  return { id };
}

/** Says that all that a tag marks may be shown otherwise when the transaction ends. */
async function followTagged(tx: WriteTx, tag_id: number): Promise<void> {
  const rows = await tx.sql
    .selectFrom("taggings")
    .select(["taggable_type", "taggable_id"])
    .where("company_id", "=", tx.company.id)
    .where("tag_id", "=", tag_id)
    .execute();
  for (const [type, marked] of Map.groupBy(rows, ({ taggable_type }) => taggable_type)) {
    const ids = marked.map(({ taggable_id }) => taggable_id);
    await follow(tx, eventsOf[type], ids);
  }
}

const eventsOf = {
  Lesson: lessonEvents,
  "LearningPaths::Path": pathEvents,
  Course: courseEvents,
} as const;

/** The ids of tags by the names that are given, without regard to case; of several that have one name the oldest. */
export async function findTagIds(tx: Tx, names: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; id: number }>`
    select asked.name, min(tags.id) as id
    from unnest(${[...names]}::text[]) as asked (name)
    join tags on tags.company_id = ${tx.company.id} and lower(tags.name) = lower(asked.name)
    group by asked.name`.execute(tx.sql);
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** Names are told apart without regard to case. Tags that were imported may have one name; they keep it. */
async function requireFree(tx: Tx, name: string, own_id?: number): Promise<void> {
  const [other] = [...(await findTagIds(tx, [name])).values()];
  if (other === undefined || other === own_id) return;
  throw invalid({ field: "name", message: `is the name of tag ${other} already` });
}
