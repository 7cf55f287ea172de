import type { Answer, Client } from "./server.ts";

type Body = Answer["body"];

/** What a reader knows of an account, by kind and by what names each thing. */
export type Known = Map<string, Map<string, Body>>;

/** The lists that an account is copied from, and how events name what stands in them. */
const lists = [
  { kind: "user", url: "/api/v2/users?include=custom_user_fields", show: withoutSignIn },
  { kind: "group", url: "/api/v2/groups", show: same },
  { kind: "lesson", url: "/api/v2/lessons", show: same },
  { kind: "path", url: "/api/v2/paths", show: same },
  { kind: "assignment", url: "/api/v2/assignments", show: same },
  { kind: "certificate", url: "/api/v2/certificates", show: same },
] as const;

/**
 * Somebody who has nothing but the API: they copy an account list by list, while it changes, and then do what the feed
 * says from the position that they asked for before.
 */
export class Follower {
  readonly known: Known = new Map();
  readonly #client: Client;
  #after = 0;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** @param between is awaited between two pages: what changes meanwhile. */
  static async copy(client: Client, between: () => Promise<void>): Promise<Follower> {
    const follower = new Follower(client);
    follower.#after = (await get(client, "/api/v2/events/position")).position;
    await copyLists(client, follower.known, between);
    return follower;
  }

  /** Does what has happened since. @returns how much that was. */
  async catchUp(): Promise<number> {
    let events = 0;
    for (;;) {
      const { data, next } = await get(this.#client, `/api/v2/events?after=${this.#after}&limit=100`);
      if (data.length === 0) return events;
      for (const event of data) this.#apply(event);
      events += data.length;
      this.#after = next;
    }
  }

  #apply({ type, data }: Body): void {
    const [kind = "", what] = type.split(".");
    // It tells of an attempt, and changes nothing of the lesson.
    if (type === "lesson.completed") return;
    const things = this.known.get(kind);
    if (what === "deleted") things?.delete(keyOf(kind, data));
    else things?.set(keyOf(kind, data), data);
  }
}

/** The account as its lists have it now. */
export async function readAccount(client: Client): Promise<Known> {
  const known: Known = new Map();
  await copyLists(client, known, async () => undefined);
  return known;
}

async function copyLists(client: Client, known: Known, between: () => Promise<void>): Promise<void> {
  for (const { kind, url, show } of lists) {
    const things = new Map<string, Body>();
    for await (const item of walk(client, url, between)) things.set(keyOf(kind, item), show(item));
    known.set(kind, things);
  }
  const memberships = new Map<string, Body>();
  known.set("membership", memberships);
  for (const group_id of [...(known.get("group")?.keys() ?? [])].map(Number)) {
    for (const [list, role] of [
      ["members", "member"],
      ["managers", "manager"],
    ]) {
      for await (const { user } of walk(client, `/api/v2/groups/${group_id}/${list}`, between)) {
        const membership = { group_id, user_id: user.id, role };
        memberships.set(keyOf("membership", membership), membership);
      }
    }
  }
}

async function* walk(client: Client, url: string, between: () => Promise<void>): AsyncGenerator<Body> {
  let cursor = "";
  for (;;) {
    await between();
    const { status, body } = await client.get(`${url}${url.includes("?") ? "&" : "?"}limit=20${cursor}`);
    // A group that is gone by now: the feed tells.
    if (status === 404) return;
    yield* body.data;
    if (body.next === null) return;
    cursor = `&cursor=${body.next}`;
  }
}

async function get(client: Client, url: string): Promise<Body> {
  const { status, body } = await client.get(url);
  if (status !== 200) throw new Error(`${url}: ${status} ${JSON.stringify(body)}`);
  return body;
}

function keyOf(kind: string, data: Body): string {
  return kind === "membership" ? `${data.group_id} ${data.role} ${data.user_id}` : String(data.id);
}

function withoutSignIn({ last_sign_in_at: _at, ...user }: Body): Body {
  return user;
}

function same(item: Body): Body {
  return item;
}
