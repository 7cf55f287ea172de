import { toRequest } from "./load.ts";
import type { BenchCompanies, BenchCompany } from "./companies.ts";
import { makeV2Scenarios } from "./scenarios-v2.ts";

/** One side of a comparison: what is asked of which server. */
export interface Side {
  readonly server: "bare" | "ours";
  readonly requests: readonly Buffer[];
}

/** What has to be reached. With `orMs` an answer that takes no longer than that is quick enough whatever the base does. */
export interface Bar {
  readonly kind: "speed" | "time";
  readonly value: number;
  readonly orMs?: number;
}

export interface Scenario {
  readonly name: string;
  readonly base: Side;
  readonly measured: Side;
  /** Speed: at least so much of the base's answers a second. Time: at most so many times the base's time. */
  readonly bar: Bar;
  readonly connections: number;
  /** Whether both sides have to answer with the same JSON. */
  readonly isSame: boolean;
  /** Whether a worker runs beside, which sends the webhooks of what is done. */
  readonly hasWorker?: true;
}

/** Enough to keep one process busy all the time. */
const CONNECTIONS = 8;
const USER_REQUESTS = 500;
const PUT_ASSIGNEES = 1000;

/** Everything that has a bar. */
export function makeScenarios(companies: BenchCompanies): Scenario[] {
  const { big } = companies;
  const users = Array.from({ length: USER_REQUESTS }, (_, index) => index + 2);
  return [
    against(0.75, "one user", {
      ours: users.map((id) => get(big, `/api/v1/users/${id}`)),
      bare: users.map((id) => toRequest("GET", `/${big.id}/users/${id}`)),
    }),
    against(0.6, "50 users", pages(big, { ours: "/api/v1/users", bare: "users", per_page: 50, count: 10 })),
    against(
      0.6,
      "1000 users",
      pages(big, { ours: "/api/v1/users", bare: "users", per_page: 1000, count: 2 }),
    ),
    against(
      0.5,
      "50 users, v1.1",
      pages(big, { ours: "/api/v1.1/users", bare: "users-in-full", per_page: 50, count: 10 }),
    ),
    against(
      0.6,
      "1000 assignments",
      pages(big, { ours: "/api/v1/assignments", bare: "assignments", per_page: 1000, count: 2 }),
    ),
    against(
      0.4,
      "50 nested path assignments, v1.1",
      pages(companies.paths, {
        ours: "/api/v1.1/assignments",
        bare: "path-assignments",
        per_page: 50,
        count: 10,
      }),
    ),
    ...deepPages(big, 50),
    ...deepPages(big, 1000),
    within(1.5, "a page of 1 with its total, of many", {
      base: [get(companies.small, "/api/v1/assignments?page=1&per_page=1")],
      measured: [get(big, "/api/v1/assignments?page=1&per_page=1")],
    }),
    assigning(companies),
    {
      name: "one user, 100 companies in turn",
      base: { server: "ours", requests: [get(big, "/api/v1/users/2")] },
      measured: {
        server: "ours",
        requests: companies.hundred.map((company) => get(company, "/api/v1/users/2")),
      },
      bar: { kind: "speed", value: 0.6 },
      connections: CONNECTIONS,
      isSame: false,
    },
    ...makeV2Scenarios(companies),
  ];
}

/** The same data from both servers. */
export function against(
  value: number,
  name: string,
  { ours, bare }: { readonly ours: readonly Buffer[]; readonly bare: readonly Buffer[] },
): Scenario {
  return {
    name,
    base: { server: "bare", requests: bare },
    measured: { server: "ours", requests: ours },
    bar: { kind: "speed", value },
    connections: CONNECTIONS,
    isSame: true,
  };
}

/** Two requests of the service, one at a time: by how much the second may take longer. */
function within(
  value: number,
  name: string,
  { base, measured }: { readonly base: readonly Buffer[]; readonly measured: readonly Buffer[] },
): Scenario {
  return {
    name,
    base: { server: "ours", requests: base },
    measured: { server: "ours", requests: measured },
    bar: { kind: "time", value },
    connections: 1,
    isSame: false,
  };
}

function pages(
  company: BenchCompany,
  list: { readonly ours: string; readonly bare: string; readonly per_page: number; readonly count: number },
): { ours: Buffer[]; bare: Buffer[] } {
  const queries = Array.from(
    { length: list.count },
    (_, index) => `?page=${index + 1}&per_page=${list.per_page}`,
  );
  return {
    ours: queries.map((query) => get(company, list.ours + query)),
    bare: queries.map((query) => toRequest("GET", `/${company.id}/${list.bare}${query}`)),
  };
}

function deepPages(big: BenchCompany, per_page: number): Scenario[] {
  const page = (number: number) => [get(big, `/api/v1/assignments?page=${number}&per_page=${per_page}`)];
  const last = Math.ceil(big.assignments / per_page);
  return [
    within(1.5, `the middle page of ${per_page}, to the first`, {
      base: page(1),
      measured: page(Math.ceil(last / 2)),
    }),
    within(1.5, `the last page of ${per_page}, to the first`, { base: page(1), measured: page(last) }),
  ];
}

/** Each request assigns another lesson to the same thousand users. One at a time, as writes of a company take turns. */
function assigning({ put, putBare }: BenchCompanies): Scenario {
  const assignments = Array.from({ length: PUT_ASSIGNEES }, (_, index) => ({
    // Every fiftieth user is archived and can be assigned nothing.
    assignee_id: index + 1 + Math.floor(index / 49),
    due_by: "2030-12-31T00:00:00Z",
    notify: false,
  }));
  const body = JSON.stringify({ assignments });
  const lessons = Array.from({ length: put.lessons }, (_, index) => index + 1);
  return {
    name: "1000 assignments in one PUT",
    base: {
      server: "bare",
      requests: lessons.map((id) => toRequest("PUT", `/${putBare.id}/lessons/${id}/assignments`, { body })),
    },
    measured: {
      server: "ours",
      requests: lessons.map((id) =>
        toRequest("PUT", `/api/v1/lessons/${id}/assignments`, { body, authorization: put.authorization }),
      ),
    },
    bar: { kind: "time", value: 2 },
    connections: 1,
    isSame: false,
  };
}

/** A request with a company's key. */
export function get({ authorization }: BenchCompany, path: string): Buffer {
  return toRequest("GET", path, { authorization });
}
