import assert from "node:assert/strict";
import { test } from "node:test";
import type { InjectOptions } from "fastify";
import type { Access } from "../http/access.ts";
import { privileges, type RoleName } from "../privileges/privileges.ts";
import { type Content, makeContent } from "./content.ts";
import { allOperations } from "./contract.ts";
import { signIn } from "./person.ts";
import { type Answer, Client, startServer, type TestServer } from "./server.ts";
import { sampleOf } from "./v2-samples.ts";
import { listOperations, listOperationsOfVersion2, type Operation } from "./walk.ts";

/** What the custom role and the key of this test may do. */
const COACH = ["users.read:managed", "groups.read:managed", "reports.read:managed", "tags.write", "learn"];
const ROBOT = ["users.read", "groups.write", "tags.write", "reports.read"];

test("who may do what is exactly what the table of privileges says", async (t) => {
  await using lectern = await startServer();
  const operations = listOperationsOfVersion2(lectern);
  const content = await makeContent(lectern, lectern.acme, "Amber");
  const requests = operations.map((operation) => ({
    operation,
    url: addressOfNothing(operation),
    payload: sampleOf(lectern, operation, nowhere(content)),
  }));
  const walk = { lectern, operations, requests, content };
  const callers = await makeCallers(lectern);
  await t.test("every operation says who may call it", () => saysWhoMay(walk));
  for (const caller of callers) {
    await t.test(`${caller.name}, at every operation of version 2`, () => meetsTheTable(walk, caller));
  }
  await t.test("nobody, at every operation of version 2", () => admitsNobody(walk));
  await t.test("a key with few privileges, at every operation of version 1", () => meetsVersion1(walk));
});

/** What is walked, in a company with something of everything. */
interface Walk {
  readonly lectern: TestServer;
  readonly operations: readonly Operation[];
  /** A request of each operation that is right but for what it names. */
  readonly requests: readonly {
    readonly operation: Operation;
    readonly url: string;
    readonly payload: object | undefined;
  }[];
  readonly content: Content;
}

/** The ids of nothing: what a request names is not there, so that no walk changes anything by it. */
function nowhere(content: Content): Content {
  const ids = Object.keys(content).map((key) => [key, key === "mark" ? "" : NOBODYS_ID]);
  return { ...content, ...Object.fromEntries(ids) };
}

/** An address that is well-formed and names nothing but the company itself. */
function addressOfNothing({ url, parameters }: Operation): string {
  return url.replaceAll(/:(\w+)/g, (_, name: string) => {
    const known = Object.entries(texts).find(([parameter]) => parameter === name)?.[1];
    if (known !== undefined) return known;
    const schema = parameters.find((parameter) => parameter.name === name)?.schema;
    return schema?.type === "integer" ? String(NOBODYS_ID) : "p1";
  });
}

/** What stands for parameters whose texts have a form of their own. */
const texts = { subdomain: "acme", status: "incomplete", step_id: "lesson-900001" };

const NOBODYS_ID = 900_001;

/** Somebody who calls, and what the table says of them. */
interface Caller {
  readonly name: string;
  has(privilege: string): boolean;
  request(options: InjectOptions): Promise<Answer>;
}

async function makeCallers(lectern: TestServer): Promise<Caller[]> {
  const { acme } = lectern;
  const roles = (["admin", "creator", "manager", "learner"] as const).map((role) => ({
    name: `a person with the role ${role}`,
    who: { role },
    has: (privilege: string) => builtInRoleHas(role, privilege),
  }));
  const made = await acme.post("/api/v2/roles", { name: "Coach", privileges: COACH });
  assert.equal(made.status, 201);
  const coach = { name: "a person with a custom role", who: { role_id: made.body.id }, has: hasAny(COACH) };
  const people = await Promise.all([...roles, coach].map((caller) => makePerson(lectern, caller)));
  const robot = makeKey(lectern, (await makeRobot(lectern)).authorization);
  const key = makeKey(lectern, acme.authorization);
  return [
    ...people,
    { name: "a key with few privileges", has: hasAny(ROBOT), request: robot },
    { name: "a key for everything", has: () => true, request: key },
  ];
}

/** Calls with a key, and takes answers that are no JSON as they are. */
function makeKey({ app }: TestServer, authorization: string): Caller["request"] {
  return async (options) => {
    const { statusCode, body, headers } = await app.inject({ ...options, headers: { authorization } });
    const isJson = /[/+]json/.test(String(headers["content-type"]));
    return { status: statusCode, headers, body: isJson ? JSON.parse(body) : body };
  };
}

/** A person who signs in again where an operation has ended their session. */
async function makePerson(
  lectern: TestServer,
  { name, who, has }: { name: string; who: object; has: Caller["has"] },
): Promise<Caller> {
  let person = await signIn(lectern, lectern.acme, who);
  const again = () => signIn(lectern, lectern.acme, { user_id: person.user_id });
  return {
    name,
    has,
    request: async (options) => {
      const answer = await person.request(options);
      if (answer.status !== 401) return answer;
      person = await again();
      return person.request(options);
    },
  };
}

async function makeRobot({ app, acme }: TestServer): Promise<Client> {
  const { status, body } = await acme.post("/api/v2/api_keys", { name: "Robot", privileges: ROBOT });
  assert.equal(status, 201, JSON.stringify(body));
  return new Client(app, acme.company, body.key);
}

function builtInRoleHas(role: RoleName, privilege: string): boolean {
  const entry = Object.entries(privileges).find(([name]) => name === privilege);
  assert.ok(entry, `${privilege} stands in the table`);
  return Object.hasOwn(entry[1].reach, role);
}

function hasAny(grants: readonly string[]): (privilege: string) => boolean {
  return (privilege) => grants.some((grant) => grant.split(":")[0] === privilege);
}

function saysWhoMay({ lectern, operations }: Walk): void {
  for (const { name } of [...operations, ...listOperations(lectern)]) {
    const access = lectern.routeTable.accesses.get(name);
    assert.ok(access !== undefined, name);
    assert.ok(access === "public" || access === "authenticated" || Object.hasOwn(privileges, access), name);
  }
}

async function meetsTheTable({ lectern, requests }: Walk, caller: Caller): Promise<void> {
  for (const { operation, url, payload } of requests) {
    const access = accessOf(lectern, operation);
    const answer = await caller.request({ method: operation.method, url, ...(payload && { payload }) });
    const may = access === "public" || access === "authenticated" || caller.has(access);
    const what = `${caller.name}: ${operation.name} ${JSON.stringify(payload)} → ${answer.status} ${JSON.stringify(answer.body)}`;
    // A provider that a sample names is not there to answer.
    assert.ok(answer.status < 500 || answer.status === 503, what);
    if (!may && [400, 422].includes(answer.status)) assert.fail(`teach the samples a right request: ${what}`);
    assert.equal(lacksPrivilege(answer, access), !may, what);
    if (access !== "public") assert.notEqual(answer.status, 401, what);
  }
}

async function admitsNobody({ lectern, operations }: Walk): Promise<void> {
  for (const operation of operations) {
    const { method, name } = operation;
    const { statusCode } = await lectern.app.inject({ method, url: addressOfNothing(operation) });
    if (accessOf(lectern, operation) === "public") assert.notEqual(statusCode, 401, name);
    else assert.equal(statusCode, 401, name);
  }
}

async function meetsVersion1({ lectern, content }: Walk): Promise<void> {
  const robot = await makeRobot(lectern);
  const has = hasAny(ROBOT);
  for (const operation of listOperations(lectern)) {
    const payload = allOperations.find(({ name }) => name === operation.name)?.body?.(content);
    const url = addressOfNothing(operation);
    const answer = await robot.request({ method: operation.method, url, ...(payload && { payload }) });
    const access = accessOf(lectern, operation);
    const may = access === "authenticated" || has(access);
    assert.equal(lacksPrivilege(answer, access), !may, `${operation.name} → ${answer.status}`);
  }
}

function accessOf({ routeTable }: TestServer, { name }: Operation): Access {
  const access = routeTable.accesses.get(name);
  assert.ok(access, name);
  return access;
}

/** Whether the door has refused, which names the privilege: what a rule refuses has other words. */
function lacksPrivilege({ status, body }: Answer, access: Access): boolean {
  const words = String(body?.detail ?? body?.message);
  return status === 403 && words.startsWith(`This needs the privilege ${access}:`);
}
