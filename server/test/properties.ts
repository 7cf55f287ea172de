import assert from "node:assert/strict";
import fc from "fast-check";
import { endAssignments } from "./complete.ts";
import { addUser } from "./people.ts";
import type { Answer, Client, TestServer } from "./server.ts";

/** How often a property is tried; the seed gives the same tries again. */
export interface Tries {
  readonly numRuns: number;
  readonly seed: number;
}

type Body = Answer["body"];

/** Every list, in pages of any size: by number and by Link alike each row comes once, in the list's order. */
export async function pagesPartitionLists({ acme }: TestServer, tries: Tries): Promise<void> {
  const { body: lessons } = await acme.get("/api/v1/lessons");
  const urls = [
    "/api/v1/users",
    "/api/v1.1/users",
    "/api/v1.1/users?filter[active_only]=true",
    "/api/v1/assignments",
    "/api/v1.1/assignments",
    "/api/v1/assignments?gt[updated_at]=2001-01-01",
    ...["incomplete", "completed", "overdue", "grade_pending"].map(
      (status) => `/api/v1/assignments/${status}`,
    ),
    ...lessons.lessons.slice(0, 2).map(({ id }: { id: number }) => `/api/v1/lessons/${id}/assignments`),
  ];
  const aPageSize = fc.integer({ min: 1, max: 40 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...urls), aPageSize, async (url, per_page) => {
      const whole = await acme.get(withQuery(url, "per_page=1000"));
      const [byNumber, byLink] = [
        await walkByNumber(acme, url, per_page),
        await walkByLink(acme, url, per_page),
      ];
      assert.deepEqual(idsOf(byNumber), idsOf(itemsOf(whole.body)), `${url} by number`);
      assert.deepEqual(idsOf(byLink), idsOf(byNumber), `${url} by Link`);
      assert.deepEqual([byNumber, byLink], [itemsOf(whole.body), itemsOf(whole.body)], url);
      assert.equal(totalOf(whole.body), byNumber.length, url);
    }),
    tries,
  );
}

function withQuery(url: string, query: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}${query}`;
}

function idsOf(items: readonly Body[]): number[] {
  return items.map(({ id }) => id);
}

function itemsOf(body: Body): Body[] {
  return body.users ?? body.assignments;
}

function totalOf(body: Body): number {
  return body.total_users ?? body.total_assignments;
}

async function walkByNumber(client: Client, url: string, per_page: number): Promise<Body[]> {
  const items: Body[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { body } = await client.get(withQuery(url, `per_page=${per_page}&page=${page}`));
    pages = body.total_pages;
    items.push(...itemsOf(body));
  }
  return items;
}

async function walkByLink(client: Client, url: string, per_page: number): Promise<Body[]> {
  const items: Body[] = [];
  let next: string | undefined = withQuery(url, `per_page=${per_page}`);
  while (next !== undefined) {
    const { body, headers }: Answer = await client.get(next);
    items.push(...itemsOf(body));
    next = nextOf(headers["link"]);
  }
  return items;
}

/** The address of the next page that a Link header names, on this server. */
export function nextOf(link: unknown): string | undefined {
  const [, url] = /^<([^>]+)>; rel="next"$/.exec(String(link)) ?? [];
  if (url === undefined) return undefined;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Each assignment is in the list of its status and in no other, and their totals make up the whole. */
export async function statusesPartitionAssignments({ acme }: TestServer): Promise<void> {
  const { body: all } = await acme.get("/api/v1/assignments?per_page=1000");
  let total = 0;
  for (const status of ["Incomplete", "Completed", "Overdue", "Grade Pending"]) {
    const { body } = await acme.get(
      `/api/v1/assignments/${status.toLowerCase().replace(" ", "_")}?per_page=1000`,
    );
    const expected = all.assignments.filter((assignment: Body) => assignment.status === status);
    assert.deepEqual(body.assignments, expected, status);
    assert.equal(body.total_assignments, expected.length, status);
    total += body.total_assignments;
  }
  assert.equal(total, all.total_assignments);
}

/** Archiving, restoring and deleting in any order, against the few lines that say what they do. */
export async function archivingFollowsItsModel({ acme }: TestServer, tries: Tries): Promise<void> {
  const kinds = ["user", "group"] as const;
  const aStep = fc.record({
    kind: fc.constantFrom(...kinds),
    number: fc.nat(1),
    action: fc.constantFrom("archive", "restore", "update", "archive", "restore", "delete"),
  });
  let made = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { maxLength: 12 }), async (steps) => {
      const things = new Map<string, { url: string; state: "active" | "archived" | "gone" }>();
      for (const number of [0, 1]) {
        const user = await addUser(acme, `Person ${(made += 1)}`);
        const { body: group } = await acme.post("/api/v1/groups", {
          name: `Group ${made}`,
          members: [{ id: user.id }],
        });
        things.set(`user ${number}`, { url: `/api/v1/users/${user.id}`, state: "active" });
        things.set(`group ${number}`, { url: `/api/v1/groups/${group.id}`, state: "active" });
      }
      for (const { kind, number, action } of steps) {
        const thing = things.get(`${kind} ${number}`);
        assert.ok(thing);
        const { status } = await act(acme, thing.url, action);
        const [expected, next] = model(thing.state, action);
        assert.equal(status, expected, `${action} ${kind} that is ${thing.state}`);
        thing.state = next;
        const shown = await acme.get(thing.url);
        const state = shown.status === 404 ? "gone" : shown.body.archived_at === null ? "active" : "archived";
        assert.equal(state, thing.state);
      }
    }),
    tries,
  );
}

function act(client: Client, url: string, action: string): Promise<Answer> {
  if (action === "delete") return client.delete(url);
  return client.put(action === "update" ? url : `${url}/${action}`, {});
}

type State = "active" | "archived" | "gone";

function model(state: State, action: string): [number, State] {
  if (state === "gone") return [404, "gone"];
  if (action === "delete") return [200, "gone"];
  if (action === "update") return [state === "active" ? 200 : 400, state];
  return [200, action === "archive" ? "archived" : "active"];
}

/** Assigning and ending in any order: one assignment for each user and thing, reset only where it was completed. */
export async function reassigningFollowsItsModel(lectern: TestServer, tries: Tries): Promise<void> {
  const { acme, make } = lectern;
  const things = [
    { assignable_type: "Lesson", url: "lessons", id: await make.lesson(acme) },
    { assignable_type: "LearningPaths::Path", url: "paths", id: await make.path(acme) },
  ];
  const anAssignment = fc.record({
    type: fc.constant("assign" as const),
    thing: fc.constantFrom(...things),
    users: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
    due_by: fc.constantFrom(undefined, null, "2020-12-31", "2100-05-05T05:05:05Z"),
  });
  const anEnd = fc.record({
    type: fc.constant("end" as const),
    pick: fc.nat(20),
    status: fc.constantFrom("Completed", "Completed", "Grade Pending", "Incomplete"),
    score: fc.integer({ min: 0, max: 100 }),
  });
  let made = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(anAssignment, anEnd), { maxLength: 12 }), async (steps) => {
      const users: number[] = [];
      while (users.length < 3) users.push((await addUser(acme, `Learner ${(made += 1)}`)).id);
      const known = new Map<string, Body>();
      for (const step of steps) {
        if (step.type === "end") {
          const picked = [...known.values()].at(step.pick % Math.max(known.size, 1));
          if (picked === undefined) continue;
          await endAssignments(lectern, acme, { ids: [picked.id], status: step.status, score: step.score });
          Object.assign(picked, { stored: step.status, score: step.score });
          continue;
        }
        const { thing, due_by } = step;
        const ids = step.users.map((index) => users[index] ?? 0);
        const assignments = ids.map((assignee_id) => ({ assignee_id, due_by }));
        const { status, body } = await acme.put(`/api/v1/${thing.url}/${thing.id}/assignments`, {
          assignments,
        });
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(
          body.assignments.map(({ assignee_id }: Body) => assignee_id),
          [...new Set(ids)],
        );
        for (const answered of body.assignments) {
          const key = `${thing.assignable_type} ${answered.assignee_id}`;
          known.set(key, assignedAgain(known.get(key), answered.id, due_by ?? null));
        }
      }
      await assertAssignments(acme, users, [...known.values()]);
    }),
    tries,
  );
}

/** What the rule makes of an assignment that is assigned: a new one, the same one, or a new round of it. */
function assignedAgain(before: Body, id: number, due_by: string | null): Body {
  if (before === undefined) return { id, due_by, stored: "Incomplete", score: null, reassigned: false };
  if (before.stored !== "Completed") return before;
  return { ...before, due_by, stored: "Incomplete", reassigned: true };
}

async function assertAssignments(
  client: Client,
  users: readonly number[],
  expected: readonly Body[],
): Promise<void> {
  const found: Body[] = [];
  for (const user of users) {
    const { body } = await client.get(`/api/v1/users/${user}/assignments`);
    found.push(...body.assignments);
  }
  const state = ({ id, due_by, status, score, reassigned_at, completed_at }: Body) => ({
    id,
    score,
    due_by: due_by?.slice(0, 10) ?? null,
    reassigned: reassigned_at !== null,
    status,
    completed: completed_at !== null,
  });
  const wanted = ({ id, due_by, stored, score, reassigned }: Body) => ({
    id,
    score,
    due_by: due_by?.slice(0, 10) ?? null,
    reassigned,
    status: stored === "Incomplete" && due_by === "2020-12-31" ? "Overdue" : stored,
    completed: stored === "Completed",
  });
  const byId = (a: Body, b: Body) => a.id - b.id;
  assert.deepEqual(found.toSorted(byId).map(state), expected.toSorted(byId).map(wanted));
}
