import { Client } from "pg";
import { createCompany } from "../server/companies/create.ts";
import { Database } from "../server/db/db.ts";
import { SERVING_ROLE } from "../server/db/migrate.ts";
import { hashPassword } from "../server/users/passwords.ts";
import { fillCompany, type Size, withoutChecks } from "./fill.ts";
import {
  beginLessons,
  finishLessons,
  type Learner,
  type OpenAttempt,
  publishLessons,
  signLearnersIn,
} from "./fill-learning.ts";

export interface BenchCompany {
  readonly id: number;
  /** The header that its key signs in with. */
  readonly authorization: string;
  readonly lessons: number;
  readonly assignments: number;
}

export interface BenchCompanies {
  readonly big: BenchCompany;
  readonly small: BenchCompany;
  readonly paths: BenchCompany;
  readonly put: BenchCompany;
  readonly putBare: BenchCompany;
  readonly hundred: readonly BenchCompany[];
  readonly learning: LearningCompany;
}

/** Where lessons are taken. */
export interface LearningCompany extends Pick<BenchCompany, "id" | "authorization"> {
  readonly learners: readonly Learner[];
  readonly attempts: readonly OpenAttempt[];
}

const sizes = {
  small: { users: 1000, lessons: 50, paths: 12, assignments: 1000, of: "lessons and paths" },
  paths: { users: 200, lessons: 60, paths: 30, assignments: 2000, of: "paths" },
  put: { users: 1100, lessons: 3000, paths: 3, assignments: 0, of: "paths" },
  // Finishing lessons must not run out of open ones.
  learning: { users: 200, lessons: 400, paths: 6, assignments: 200 * 406, of: "lessons and paths" },
  oneOfHundred: { users: 50, lessons: 3, paths: 3, assignments: 0, of: "paths" },
} as const;

/** No request of the bench is refused: the limit itself is measured, as each request is counted. */
const REQUESTS_PER_MINUTE = 1_000_000_000;

/** Makes and fills the companies; the big one has as many assignments as are asked for. */
export async function makeCompanies(url: string, assignments: number): Promise<BenchCompanies> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await using database = new Database({
    url,
    connections: 2,
    pooling: "session",
    role: SERVING_ROLE,
    statementTimeoutMs: 0,
    clock: () => new Date(),
  });
  const make = async (subdomain: string, size: Size): Promise<BenchCompany> => {
    const { company, api_key } = await createCompany(database, { ...aCompany, subdomain, name: subdomain });
    await fillCompany(client, company.id, size);
    const authorization = `Basic ${Buffer.from(`${subdomain}:${api_key}`).toString("base64")}`;
    return { id: company.id, authorization, lessons: size.lessons, assignments: size.assignments };
  };
  const hundred = [];
  for (let number = 1; number <= 100; number += 1) hundred.push(await make(`c${number}`, sizes.oneOfHundred));
  const companies = {
    hundred,
    small: await make("small", sizes.small),
    paths: await make("paths", sizes.paths),
    put: await make("put", sizes.put),
    putBare: await make("put-bare", sizes.put),
    big: await make("big", { users: 10_000, lessons: 500, paths: 99, assignments, of: "lessons and paths" }),
    learning: await fillLearning(client, await make("learning", sizes.learning)),
  };
  await withoutChecks(client, async () => {
    await publishLessons(client, companies.big.id);
    await finishLessons(client, companies.big.id, MOST_FINISHED);
  });
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  await client.end();
  return companies;
}

/** Attempts that have completed a lesson alone, and as many within paths: enough for reports to count. */
const MOST_FINISHED = 50_000;

async function fillLearning(client: Client, { id, authorization }: BenchCompany): Promise<LearningCompany> {
  return withoutChecks(client, async () => {
    await publishLessons(client, id);
    const learners = await signLearnersIn(client, id);
    return { id, authorization, learners, attempts: await beginLessons(client, id, learners) };
  });
}

const aCompany = {
  time_zone: "UTC",
  requests_per_minute: REQUESTS_PER_MINUTE,
  has_api: true,
  has_learning_library: true,
  admin: {
    name: "Ada Admin",
    email: "ada@example.com",
    password_hash: await hashPassword("correct horse battery"),
  },
} as const;
