import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { notFound } from "../http/problem.ts";
import type { ShownTag, TagList } from "./schema.ts";

/** All tags, the oldest first. */
export async function listTags(tx: Tx): Promise<Static<typeof TagList>> {
  const rows = await selectTags(tx).orderBy("id").execute();
  return { type: "tags", tags: rows.map(({ id, name }) => ({ id, resource_type: "tag", name })) };
}

/** One tag. @throws Problem 404 */
export async function getTag(tx: Tx, tag_id: number): Promise<Static<typeof ShownTag>> {
  const row = await selectTags(tx).where("id", "=", tag_id).executeTakeFirst();
  if (row === undefined) throw notFound("Tag");
  return { id: row.id, type: "tag", resource_type: "tag", name: row.name };
}

function selectTags(tx: Tx) {
  return tx.sql.selectFrom("tags").select(["id", "name"]).where("company_id", "=", tx.company.id);
}
