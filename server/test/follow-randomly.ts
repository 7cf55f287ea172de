import assert from "node:assert/strict";
import fc from "fast-check";
import { Follower, readAccount } from "./follower.ts";
import { type Person, signIn } from "./person.ts";
import type { Answer, Client, TestServer } from "./server.ts";
import { trueFalse } from "./taught.ts";

type Body = Answer["body"];

export interface FollowTries {
  readonly numRuns: number;
  readonly seed: number;
  /** Changes of one run. */
  readonly steps: number;
}

let runs = 0;

/**
 * Changes an account at random over the API. Somebody copies it in the middle of that, and follows its feed from then
 * on: in the end they have exactly what its lists have, and nothing that was deleted.
 * @returns how many events there were, and of how many types.
 */
export async function followRandomly(
  lectern: TestServer,
  { steps, ...tries }: FollowTries,
): Promise<{ events: number; types: number }> {
  const types = new Set<string>();
  let events = 0;
  const aStep = fc.record({ name: fc.constantFrom(...names), one: fc.nat(999), other: fc.nat(999) });
  const aWalk = fc.array(aStep, { minLength: steps, maxLength: steps, size: "max" });
  await fc.assert(
    fc.asyncProperty(fc.noBias(aWalk), async (walk) => {
      runs += 1;
      const client = await lectern.addCompany({ subdomain: `followed-${runs}` });
      const account = new Account(lectern, client);
      const left = walk.values();
      const change = async (): Promise<void> => {
        const { value: step } = left.next();
        if (step !== undefined) await changes[step.name](account, step);
      };
      for (let done = 0; done < steps / 3; done += 1) await change();
      const follower = await Follower.copy(client, change);
      for (const step of left) await changes[step.name](account, step);
      await follower.catchUp();
      assert.deepEqual(follower.known, await readAccount(client));
      const all = (await client.get("/api/v2/events?limit=1000")).body.data;
      for (const { type } of all) types.add(type);
      events += all.length;
    }),
    { ...tries, endOnFailure: true },
  );
  return { events, types: types.size };
}

interface Step {
  readonly one: number;
  readonly other: number;
}

/** What a walk has made so far, to choose from. */
class Account {
  readonly lectern: TestServer;
  readonly client: Client;
  readonly made: Record<"users" | "groups" | "lessons" | "paths", number[]> = {
    users: [],
    groups: [],
    lessons: [],
    paths: [],
  };
  readonly people = new Map<number, Person>();
  #names = 0;

  constructor(lectern: TestServer, client: Client) {
    this.lectern = lectern;
    this.client = client;
  }

  get name(): string {
    this.#names += 1;
    return `Name ${this.#names}`;
  }

  /** One of what was made; an id that names nothing where none was. */
  pick(kind: keyof Account["made"], number: number): number {
    const ids = this.made[kind];
    return ids[number % ids.length] ?? 999_999;
  }

  async make(kind: keyof Account["made"], body: object): Promise<void> {
    const made = await this.client.post(`/api/v2/${kind}`, body);
    if (made.status === 201) this.made[kind].push(made.body.id);
  }

  patch(url: string, payload: object): Promise<Answer> {
    return this.client.request({ method: "PATCH", url, payload });
  }

  async person(user_id: number): Promise<Person | undefined> {
    const known = this.people.get(user_id);
    if (known !== undefined) return known;
    const { status, body } = await this.client.get(`/api/v2/users/${user_id}`);
    if (status !== 200 || body.archived_at !== null) return undefined;
    const person = await signIn(this.lectern, this.client, { user_id });
    this.people.set(user_id, person);
    return person;
  }

  async assignments(): Promise<Body[]> {
    return (await this.client.get("/api/v2/assignments?limit=200")).body.data;
  }
}

type Change = (account: Account, step: Step) => Promise<unknown>;

const LEARNER = 32;
const MANAGER = 36;
const addUser: Change = (account, { one }) => {
  const name = account.name;
  const custom_user_fields = one % 3 === 0 ? [{ name: "Shirt", value: "M" }] : [];
  const email = `${name.replace(" ", "-")}@example.com`;
  return account.make("users", {
    name,
    email,
    role_id: one % 4 === 0 ? MANAGER : LEARNER,
    custom_user_fields,
  });
};

const addLesson: Change = async (account) => {
  const pages = [{ id: "p1", title: "One", blocks: [trueFalse("q1")] }];
  const content = { sections: [{ id: "s1", title: "All", pages }] };
  await account.make("lessons", { title: account.name, retake_score: 50, content });
  await account.client.post(`/api/v2/lessons/${account.made.lessons.at(-1)}/publish`, {});
};

const addPath: Change = async (account, { one }) => {
  const lesson_id = account.pick("lessons", one);
  const contents = [{ type: "lesson", lesson_id }];
  await account.make("paths", { title: account.name, is_certification: true, contents });
  await account.client.post(`/api/v2/paths/${account.made.paths.at(-1)}/publish`, {});
};

const assign: Change = (account, { one, other }) => {
  const kind = one % 3 === 0 ? "paths" : "lessons";
  const ids = account.made[kind];
  const assignments = account.made.users
    .filter((_, index) => (index + one) % 2 === 0)
    .map((assignee_id) => ({ assignee_id, due_by: one % 2 === 0 ? "2020-01-01" : null }));
  return account.client.put(`/api/v1/${kind}/${ids[other % ids.length] ?? 999_999}/assignments`, {
    assignments,
  });
};

const take: Change = async (account, { one, other }) => {
  const person = await account.person(account.pick("users", one));
  const begun = await person?.post("/api/v2/attempts", { lesson_id: account.pick("lessons", other) });
  if (person === undefined || begun?.status !== 201 || one % 5 === 0) return;
  const url = `/api/v2/attempts/${begun.body.id}`;
  await person.put(`${url}/answers/q1`, { answer: { value: one % 4 !== 0 } });
  await person.post(`${url}/finish`);
};

const changeAssignment: Change = async (account, { one, other }) => {
  const all = await account.assignments();
  const chosen = all[one % Math.max(all.length, 1)];
  if (chosen === undefined) return undefined;
  const url = `/api/v2/assignments/${chosen.id}`;
  if (other % 3 === 0) return account.client.request({ method: "DELETE", url });
  if (other % 3 === 1) return account.client.post(`${url}/reassign`, { due_by: "2099-01-01" });
  return account.patch(url, { due_by: `203${other % 10}-05-01` });
};

const changeMembers: Change = ({ client, made }, { one, other }) => {
  const { users, groups } = made;
  const member = { id: users[one % users.length] ?? 999_999, ...(other % 3 === 0 && { remove: "true" }) };
  const people = other % 2 === 0 ? { members: [member] } : { managers: [member] };
  return client.put(`/api/v1/groups/${groups[other % groups.length] ?? 999_999}`, people);
};

const addGroup: Change = (account, { one }) => {
  const conditions = [{ field: "role_id", op: "is", value: one % 4 === 0 ? MANAGER : LEARNER }];
  const rule = one % 3 === 0 ? { match: "all", conditions } : null;
  return account.make("groups", { name: account.name, rule });
};

const changeUser: Change = (account, { one, other }) =>
  account.patch(`/api/v2/users/${account.pick("users", one)}`, {
    job_title: other % 4 === 0 ? null : account.name,
    ...(other % 5 === 0 && { role_id: MANAGER }),
    ...(other % 6 === 0 && { custom_user_fields: [{ name: "Shirt", value: String(other) }] }),
  });

const endUser: Change = (account, { one, other }) => {
  const user_id = account.pick("users", one);
  const url = `/api/v2/users/${user_id}`;
  account.made.users = account.made.users.filter((id) => id !== user_id);
  if (other % 3 > 0) return account.client.request({ method: "DELETE", url });
  return account.client.post(`${url}/anonymize`);
};

const turn =
  (kind: keyof Account["made"]): Change =>
  (account, { one, other }) => {
    const what = other % 2 === 0 ? "archive" : "restore";
    return account.client.put(`/api/v1/${kind}/${account.pick(kind, one)}/${what}`);
  };

const rename: Change = (account, { one, other }) => {
  const kind = other % 2 === 0 ? "lessons" : "paths";
  const title = other % 2 === 0 ? { title: account.name } : {};
  if (kind === "lessons") return account.client.put(`/api/v1/lessons/${account.pick(kind, one)}`, title);
  return account.patch(`/api/v2/groups/${account.pick("groups", one)}`, { name: account.name });
};

const changeTags: Change = async (account, { one, other }) => {
  const tags = (await account.client.get("/api/v2/tags")).body.data;
  if (tags.length < 3) await account.client.post("/api/v2/tags", { name: account.name });
  const tag = tags[one % Math.max(tags.length, 1)];
  if (tag === undefined) return undefined;
  const url = `/api/v2/tags/${tag.id}`;
  if (other % 5 === 0) return account.client.request({ method: "DELETE", url });
  if (other % 5 === 1) return account.patch(url, { name: account.name });
  const lesson = `/api/v2/lessons/${account.pick("lessons", other)}`;
  await account.patch(`${lesson}/draft`, { tag_ids: [tag.id] });
  return account.client.post(`${lesson}/publish`, {});
};

const deleteGroup: Change = (account, { one }) =>
  account.client.request({ method: "DELETE", url: `/api/v1/groups/${account.pick("groups", one)}` });

const revoke: Change = async (account, { one }) => {
  const { data } = (await account.client.get("/api/v2/certificates")).body;
  const chosen = data[one % Math.max(data.length, 1)];
  return chosen && account.client.post(`/api/v2/certificates/${chosen.id}/revoke`);
};

const changes = {
  addUser,
  addLesson,
  addPath,
  addGroup,
  assign,
  take,
  changeAssignment,
  changeMembers,
  changeUser,
  endUser,
  rename,
  changeTags,
  deleteGroup,
  revoke,
  turnUser: turn("users"),
  turnGroup: turn("groups"),
  turnLesson: turn("lessons"),
  turnPath: turn("paths"),
} as const satisfies Record<string, Change>;

type Name = keyof typeof changes;

/** Named as often as they are to happen. */
const names: readonly Name[] = [
  ...(["addUser", "addUser", "addUser", "addUser", "addLesson", "addLesson", "addPath", "addGroup"] as const),
  ...(["assign", "assign", "assign", "take", "take", "take", "take"] as const),
  ...(["changeAssignment", "changeMembers", "changeMembers", "changeUser", "endUser", "rename"] as const),
  ...(["changeTags", "deleteGroup", "revoke", "turnUser", "turnGroup", "turnLesson", "turnPath"] as const),
];
