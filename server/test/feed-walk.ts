import assert from "node:assert/strict";
import fc from "fast-check";
import { workBulkJobs } from "../bulk/work.ts";
import { type Account, allKinds, readAccount, readEvents, rebuild } from "./feed.ts";
import { patch } from "./feed-reader.ts";
import type { Answer, Client, TestServer } from "./server.ts";

/** People and groups that a walk starts with. The ids of users follow the administrator's. */
const USERS = 6;
const GROUPS = 3;
const CUSTOM_ROLE_ID = 100;

/** Whom and what a step is about. */
interface Given {
  readonly user: number;
  readonly group: number;
  readonly role: "member" | "manager";
  readonly text: string | null;
}

type Walker = Pick<TestServer, "database"> & {
  readonly client: Client;
  readonly lesson: number;
  /** Makes each e-mail and name another. */
  count: number;
};

type Play = (walker: Walker, given: Given) => Promise<Answer>;

const plays: Readonly<Record<string, Play>> = {
  addUser: ({ client, count }, { text }) =>
    client.post("/api/v1/users", {
      ...{ name: "New", email: `new-${count}@example.com`, role_id: 32, department: text },
      ...(text !== null && { custom_user_fields: [{ name: "Team", value: text }] }),
    }),
  changeUser: ({ client }, { user, text }) => client.put(`/api/v1/users/${user}`, { department: text }),
  changeField: ({ client }, { user, text }) =>
    patch(client, `/api/v2/users/${user}`, { custom_user_fields: [{ name: "Team", value: text ?? "" }] }),
  giveRole: ({ client }, { user, text }) =>
    patch(client, `/api/v2/users/${user}`, { role_id: text === null ? 32 : CUSTOM_ROLE_ID }),
  nameRole: ({ client, count }) =>
    patch(client, `/api/v2/roles/${CUSTOM_ROLE_ID}`, { name: `Role ${count}` }),
  archiveUser: ({ client }, { user }) => client.put(`/api/v1/users/${user}/archive`),
  restoreUser: ({ client }, { user }) => client.post(`/api/v2/users/${user}/restore`),
  deleteUser: ({ client }, { user }) => client.delete(`/api/v1/users/${user}`),
  anonymizeUser: ({ client }, { user }) => client.post(`/api/v2/users/${user}/anonymize`),
  addGroup: ({ client }, { user, role }) =>
    client.post("/api/v1/groups", { name: "New", [`${role}s`]: [{ id: user }] }),
  addRuledGroup: ({ client }, { text }) => client.post("/api/v2/groups", { name: "New", rule: toRule(text) }),
  changeRule: ({ client }, { group, text }) =>
    patch(client, `/api/v2/groups/${group}`, { rule: text === null ? null : toRule(text) }),
  nameGroup: ({ client, count }, { group }) =>
    client.put(`/api/v1/groups/${group}`, { name: `Group ${count}` }),
  archiveGroup: ({ client }, { group }) => client.post(`/api/v2/groups/${group}/archive`),
  restoreGroup: ({ client }, { group }) => client.put(`/api/v1/groups/${group}/restore`),
  deleteGroup: ({ client }, { group }) => client.delete(`/api/v2/groups/${group}`),
  join: ({ client }, { group, role, user }) => client.put(`/api/v2/groups/${group}/${role}s/${user}`),
  leave: ({ client }, { group, role, user }) => client.delete(`/api/v2/groups/${group}/${role}s/${user}`),
  leaveOne: ({ client }, { group, user }) =>
    client.put(`/api/v1/users/${user}/groups`, { managing: [{ id: group, remove: true }] }),
  assignGroup: ({ client, lesson }, { group }) =>
    client.post(`/api/v2/groups/${group}/assignments`, { assignable_type: "Lesson", assignable_id: lesson }),
  importUsers: ({ client, count, database }, { user, text }) =>
    work({ client, database }, "users", [
      { email: `bulk-${count}@example.com`, name: "Bulk", role: "learner", department: text },
      {
        email: `start-${user}@example.com`,
        department: text,
        custom_user_fields: [{ name: "T", value: "x" }],
      },
    ]),
  importMemberships: ({ client, database }, { user, group, role, text }) =>
    work({ client, database }, "memberships", [
      { user_id: user, group_id: group, role, remove: text === null },
      { user_id: user, group_id: group + 1, role },
    ]),
};

/** Steps after which the account is copied, and then followed while more is done. */
export const someSteps = fc.array(
  fc.record({
    name: fc.constantFrom(...Object.keys(plays)),
    user: fc.integer({ min: 2, max: USERS + 3 }),
    group: fc.integer({ min: 1, max: GROUPS + 2 }),
    role: fc.constantFrom("member", "manager"),
    text: fc.constantFrom(null, "Sales", "Support"),
  }),
  { minLength: 10, maxLength: 40, size: "max" },
);
type Step = typeof someSteps extends fc.Arbitrary<(infer Value)[]> ? Value : never;

/**
 * Has administrators do what comes, at last two of them at once. Who asks for the position, copies the account while
 * things go on, and then does what the events say has the account as it is.
 * @returns how many of the steps were done, and not refused.
 */
export async function followSteps(
  lectern: TestServer,
  client: Client,
  steps: readonly Step[],
): Promise<number> {
  const walker = await begin(lectern, client);
  const early = await rebuildLater(lectern, client);
  const half = Math.floor(steps.length / 2);
  let done = 0;
  const take = async (some: readonly Step[]) => {
    for (const step of some) done += Number(await play(walker, step));
  };
  await take(steps.slice(0, half));
  const lanes = [0, 1].map((lane) => steps.slice(half).filter((_, index) => index % 2 === lane));
  const [late] = await Promise.all([rebuildLater(lectern, client), ...lanes.map(take)]);
  const account = await lectern.database.read(client.company, (tx) => readAccount(tx, allKinds));
  assert.deepEqual(await early(), account, "copied before");
  assert.deepEqual(await late(), account, "copied meanwhile");
  return done;
}

async function begin({ database, make }: TestServer, client: Client): Promise<Walker> {
  const lesson = await make.lesson(client);
  await client.post("/api/v2/roles", { name: "Role", privileges: ["learn"] });
  for (let user = 2; user < USERS + 2; user += 1) {
    const email = `start-${user}@example.com`;
    await client.post("/api/v1/users", { name: "First", email, role: "learner", department: "Sales" });
  }
  for (let group = 1; group <= GROUPS; group += 1) await client.post("/api/v1/groups", { name: "First" });
  return { client, database, lesson, count: 0 };
}

async function play(walker: Walker, { name, ...given }: Step): Promise<boolean> {
  walker.count += 1;
  const answer = await plays[name]?.(walker, given);
  assert.ok(answer !== undefined && answer.status < 500, `${name}: ${JSON.stringify(answer)}`);
  return answer.status < 300;
}

/** Copies the account. @returns what makes of the copy, by the events since, what the account is then. */
async function rebuildLater({ database }: TestServer, { company }: Client): Promise<() => Promise<Account>> {
  const position = (await readEvents(database, company)).at(-1)?.id ?? 0;
  const copy = await database.read(company, (tx) => readAccount(tx, allKinds));
  return async () => rebuild(await readEvents(database, company, position), copy, allKinds);
}

async function work(
  { client, database }: Pick<Walker, "client" | "database">,
  kind: string,
  rows: readonly object[],
): Promise<Answer> {
  const made = await client.post(`/api/v2/${kind}/bulk`, { rows });
  await workBulkJobs(database, { company_id: client.company.id });
  return made;
}

function toRule(text: string | null): object {
  const value = text ?? "Nobody";
  return {
    match: "any",
    conditions: [
      { field: "department", op: "is", value },
      { field: "job_title", op: "is", value },
    ],
  };
}
