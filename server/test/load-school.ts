import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandActor } from "../companies/create.ts";
import { type Company, findCompanyBySubdomain } from "../companies/companies.ts";
import { Database } from "../db/db.ts";
import { openEmbedded } from "../db/embedded/embedded.ts";
import { SERVING_ROLE } from "../db/migrate.ts";
import { startSession } from "../sessions/start.ts";
import { assertCountsOf } from "./counts.ts";
import {
  basic,
  removeData,
  runCommand,
  type RunningLectern,
  type Settings,
  startLectern,
} from "./lectern.ts";
import { Maker } from "./make.ts";
import { publish, trueFalse } from "./taught.ts";

/** A person of the load, signed in. */
export interface Pupil {
  readonly user_id: number;
  readonly cookie: string;
}

/** A data folder with a company, many people who are signed in, and lessons that all of them are assigned. */
export interface School extends AsyncDisposable {
  readonly settings: { readonly DATA_DIR: string };
  readonly authorization: string;
  readonly pupils: readonly Pupil[];
  /** The first of the lessons. */
  readonly lesson_id: number;
  readonly lesson_ids: readonly number[];
  readonly questions: readonly string[];
  /** Fails unless everything that is counted equals the rows. */
  assertCounts(): Promise<void>;
}

/** Makes the school in a folder of its own, as a first start does. Dispose it to remove all of it. */
export async function makeSchool(given: {
  pupils: number;
  questions: number;
  lessons?: number;
}): Promise<School> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "lectern-load-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const settings = { DATA_DIR: join(folder, "data") };
  stack.defer(() => removeData(settings.DATA_DIR));
  await using lectern = await startLectern(settings);
  const key = await makeCompany(settings, SUBDOMAIN);
  const questions = Array.from({ length: given.questions }, (_, index) => `q${index + 1}`);
  const authorization = basic(SUBDOMAIN, key);
  const user_ids = await makeUsers(lectern, authorization, given.pupils);
  const made = await inside(settings, async (database, company) => {
    const lesson_ids: number[] = [];
    while (lesson_ids.length < (given.lessons ?? 1)) {
      lesson_ids.push(await makeLesson(database, company, questions));
    }
    const pupils: Pupil[] = [];
    for (const user_id of user_ids)
      pupils.push({ user_id, cookie: await signIn(database, company, user_id) });
    return { lesson_ids, pupils };
  });
  for (const assignable_id of made.lesson_ids) {
    const body = { user_ids, assignable_type: "Lesson", assignable_id };
    await call(lectern, "/api/v2/assignments", authorization, body);
  }
  await lectern.stop();
  const whole = stack.move();
  return {
    ...{ settings, authorization, questions, ...made, lesson_id: made.lesson_ids[0] ?? 0 },
    assertCounts: () => inside(settings, async (_database, company, url) => assertCountsOf(url, [company])),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

const SUBDOMAIN = "load";

/** Makes the company, with no limit for what comes. @returns its API key. */
export async function makeCompany(settings: Settings, subdomain: string): Promise<string> {
  const admin = "--admin-name Ada --admin-email ada@load.example.com --admin-password correct-horse-battery";
  const line = `company create --subdomain ${subdomain} --name Load ${admin} --requests-per-minute 100000000 --json`;
  const { stdout, stderr } = await runCommand(settings, line.split(" "));
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout).api_key;
}

/** Runs something on the folder's own database. */
async function inside<T>(
  { DATA_DIR }: School["settings"],
  run: (database: Database, company: Company, url: string) => Promise<T>,
): Promise<T> {
  await using embedded = await openEmbedded(DATA_DIR, "command", () => undefined);
  const { host, port, user, password, database: name } = embedded.owner;
  const url = `postgres://${user}:${password}@${host}:${port}/${name}`;
  const options = { url, role: SERVING_ROLE, pooling: "session", statementTimeoutMs: 30_000 } as const;
  await using database = new Database({ ...options, connections: 2, clock: () => new Date() });
  const company = await findCompanyBySubdomain(database, SUBDOMAIN, "http://localhost");
  if (company === undefined) throw new Error("the company was not made");
  return await run(database, company, url);
}

async function makeUsers(lectern: RunningLectern, authorization: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    const body = { name: "Load", email: `pupil-${ids.length}@load.example.com`, role: "learner" };
    ids.push((await call(lectern, "/api/v1/users", authorization, body)).id);
  }
  return ids;
}

async function call(lectern: RunningLectern, path: string, authorization: string, body: object) {
  const answer = await lectern.request(path, { method: "POST", authorization, body });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function makeLesson(
  database: Database,
  company: Company,
  questions: readonly string[],
): Promise<number> {
  const make = new Maker(database);
  const id = await make.lesson({ company }, { title: "Load", retake_score: 0 });
  const pages = questions.map((question) => [trueFalse(question)]);
  await publish({ make }, { company }, { id, number: 1, title: "Load", pages });
  return id;
}

async function signIn(database: Database, company: Company, user_id: number): Promise<string> {
  const { token } = await database.write(company, commandActor, (tx) =>
    startSession(tx, { user_id, method: "password", user_agent: "Load" }),
  );
  return `__Host-lectern=${token}`;
}
