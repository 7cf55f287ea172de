import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { conflict, forbidden, invalid, notFound } from "../http/problem.ts";
import { pathEvents } from "../paths/events.ts";
import { lessonEvents } from "./events.ts";
import { type Content, type ContentType, requireOwnContent } from "./own.ts";
import type { AuthorChange, LessonAuthor } from "./v2-schema.ts";

type Author = Static<typeof LessonAuthor>;

/** People who write one lesson or path together: more is a mistake. */
const MOST_AUTHORS = 100;

/** Who may write a lesson or a path, its owner first. @throws Problem 404 */
export async function listAuthors(tx: Tx, content: Content): Promise<{ data: Author[]; next: null }> {
  await requireOwnContent(tx, kinds[content.type].privilege, content);
  const owner_id = await getOwner(tx, content);
  return { data: await findAuthors(tx, content, owner_id), next: null };
}

/** One who may write it. @throws Problem 404 */
export async function getAuthor(tx: Tx, { user_id, ...content }: Place): Promise<Author> {
  const { data } = await listAuthors(tx, content);
  const author = data.find((one) => one.user_id === user_id);
  if (author === undefined) throw notFound("Author");
  return author;
}

/**
 * Shares a lesson or a path with a person, or makes it theirs; its owner of before goes on as an author.
 * @throws Problem 403 where another than the owner gives it away; 404; 409 beyond the most authors; 422 for an archived person
 */
export async function putAuthor(tx: WriteTx, place: Place, { role }: AuthorChange): Promise<Author> {
  const { type, id, user_id } = place;
  const { privilege, table, noun } = kinds[type];
  await requireOwnContent(tx, privilege, place);
  const at = await lockCounters(tx, table, "users");
  const owner_id = await getOwner(tx, place);
  const authors = await findAuthors(tx, place, owner_id);
  const before = authors.find((author) => author.user_id === user_id);
  if (before?.role === role) return before;
  if (before?.role === "owner") throw conflict("This is the owner: make somebody else the owner first");
  const name = before?.name ?? (await getActiveName(tx, user_id));
  if (authors.length >= MOST_AUTHORS && before === undefined)
    throw conflict(`A ${noun} can have at most ${MOST_AUTHORS} authors: remove one first`);
  if (role === "owner") await giveAway(tx, place, owner_id);
  else await addAuthor(tx, place);
  const deed = { action: `share_${noun}`, resource_type: noun, resource_id: id, at };
  await audit(tx, { ...deed, before: before ?? null, after: { user_id, role } });
  return { user_id, name, role };
}

/** Takes a person out of its authors. @throws Problem 404; 409 for its owner */
export async function removeAuthor(tx: WriteTx, place: Place): Promise<{ id: number }> {
  const { type, id, user_id } = place;
  const { privilege, table, noun } = kinds[type];
  await requireOwnContent(tx, privilege, place);
  const at = await lockCounters(tx, table);
  const owner_id = await getOwner(tx, place);
  if (owner_id === user_id) throw conflict("This is the owner: make somebody else the owner first");
  if (!(await deleteAuthor(tx, place))) throw notFound("Author");
  const deed = { action: `unshare_${noun}`, resource_type: noun, resource_id: id, at };
  await audit(tx, { ...deed, before: { user_id, role: "author" } });
  return { id: user_id };
}

/** Which author of what. */
interface Place extends Content {
  readonly user_id: number;
}

/** What each kind of content is called, and where its authors' privilege comes from. */
const kinds = {
  Lesson: {
    privilege: "lessons.write",
    table: "lessons",
    noun: "lesson",
    name: "Lesson",
    events: lessonEvents,
  },
  "LearningPaths::Path": {
    privilege: "paths.write",
    table: "paths",
    noun: "path",
    name: "Path",
    events: pathEvents,
  },
} as const satisfies Record<ContentType, object>;

async function getOwner(tx: Tx, { type, id }: Content): Promise<number | null> {
  const content = await tx.sql
    .selectFrom(kinds[type].table)
    .select("owner_id")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .executeTakeFirst();
  if (content === undefined) throw notFound(kinds[type].name);
  return content.owner_id;
}

async function findAuthors(tx: Tx, { type, id }: Content, owner_id: number | null): Promise<Author[]> {
  const shared = await tx.sql
    .selectFrom("content_authors")
    .select("user_id")
    .where("company_id", "=", tx.company.id)
    .where("content_type", "=", type)
    .where("content_id", "=", id)
    .execute();
  const ids = [...shared.map(({ user_id }) => user_id), ...(owner_id === null ? [] : [owner_id])];
  const users = await tx.sql
    .selectFrom("users")
    .select(["id", "name"])
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val(ids))))
    .orderBy("id")
    .execute();
  const authors = users.map(({ id: user_id, name }): Author => {
    return { user_id, name, role: user_id === owner_id ? "owner" : "author" };
  });
  return authors.toSorted((a, b) => Number(b.role === "owner") - Number(a.role === "owner"));
}

async function getActiveName(tx: Tx, user_id: number): Promise<string> {
  const user = await tx.sql
    .selectFrom("users")
    .select(["name", "archived_at"])
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .executeTakeFirst();
  if (user === undefined) throw notFound("User");
  if (user.archived_at !== null)
    throw invalid({ field: "user_id", message: "names an archived user: restore it first" });
  return user.name;
}

async function giveAway(tx: WriteTx, place: Place, owner_id: number | null): Promise<void> {
  const { privilege, table, noun, events } = kinds[place.type];
  if (tx.viewer.scope(privilege) !== "all" && tx.viewer.user_id !== owner_id)
    throw forbidden(`Only its owner or an administrator can give a ${noun} away`);
  await follow(tx, events, [place.id]);
  await deleteAuthor(tx, place);
  if (owner_id !== null) await addAuthor(tx, { ...place, user_id: owner_id });
  await tx.sql
    .updateTable(table)
    .set({ owner_id: place.user_id })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", place.id)
    .execute();
}

async function addAuthor(tx: WriteTx, { type, id, user_id }: Place): Promise<void> {
  await tx.sql
    .insertInto("content_authors")
    .values({ company_id: tx.company.id, content_type: type, content_id: id, user_id })
    .onConflict((oc) => oc.columns(["company_id", "content_type", "content_id", "user_id"]).doNothing())
    .execute();
}

async function deleteAuthor(tx: WriteTx, { type, id, user_id }: Place): Promise<boolean> {
  const { numDeletedRows } = await tx.sql
    .deleteFrom("content_authors")
    .where("company_id", "=", tx.company.id)
    .where("content_type", "=", type)
    .where("content_id", "=", id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
