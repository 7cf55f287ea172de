import { readdir, readFile } from "node:fs/promises";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { type Company, findCompanyBySubdomain } from "../companies/companies.ts";
import { commandActor, type CreatedCompany } from "../companies/create.ts";
import type { Database } from "../db/db.ts";
import type { Depot } from "../files/depot.ts";
import { type App, buildApp } from "../http/app.ts";
import { RateLimiter, type WindowStore } from "../http/limits.ts";
import { Metrics } from "../http/metrics.ts";
import type { Secrets } from "../secrets.ts";
import { startSession } from "../sessions/start.ts";
import { makeDemoCompany } from "./company.ts";
import { type Effort, type Lesson, take } from "./learning.ts";
import { Visitor } from "./visitor.ts";
import { Outgoing } from "../webhooks/outgoing.ts";

/** What making the demo needs: where rows and files lie. */
export interface Ground {
  readonly database: Database;
  readonly files: Depot;
  readonly secrets: Secrets;
  /** What the links begin with that events and mails of the demo have. */
  readonly publicUrl: string;
}

const LESSONS = new URL("./lessons/", import.meta.url);
const PICTURES = new URL("./pictures/", import.meta.url);
const PICTURE_PIXELS = { width: 1_600, height: 900 } as const;

/** Who of the demo company does what: the ids that makeDemoCompany gives them. */
const ADMIN = 1;
const CREATOR = 2;
const LEARNERS = [4, 5, 7, 8, 9, 10, 11, 12] as const;

/** How far each of the learners gets in the lessons, in turn; one by one they show every state there is. */
const efforts: readonly Effort[] = [
  "passed",
  "half",
  "failed",
  "passed",
  "opened",
  "passed",
  "passed",
  "half",
];

/**
 * Makes the demo company: its people and their past are brought in as a bundle, then its lessons are written, published,
 * assigned and taken through the API, by the people themselves.
 * @throws pg.DatabaseError 23505 when the subdomain is taken.
 */
export async function makeDemo(ground: Ground, subdomain: string): Promise<CreatedCompany> {
  const made = await makeDemoCompany(ground.database, subdomain);
  const company = await findCompanyBySubdomain(ground.database, subdomain, ground.publicUrl);
  if (company === undefined) throw new Error(`${subdomain} was not made`);
  const app = await openApp(ground);
  try {
    await fill(new Town({ ...ground, app, company }));
  } finally {
    await app.close();
  }
  return made;
}

/** The service without a network. */
async function openApp({ database, files, secrets, publicUrl }: Ground): Promise<App> {
  const metrics = new Metrics(database);
  // Nothing is sent.
  const policy = { allowsHttp: false, allowedNetworks: [] };
  const { app } = await buildApp({
    database,
    files,
    secrets,
    limiter: new RateLimiter(noLimit),
    maintenance: { isOn: false },
    policy,
    outgoing: new Outgoing(policy),
    publicUrl,
    trustedProxies: [],
    allowPlainHttp: true,
    corsOrigins: [],
    logger: false,
    metrics,
    health: { metricsPublic: false, metrics: () => metrics.registry.metrics() },
  });
  return app;
}

/** Nobody else is there yet whom the demo could keep waiting. */
const noLimit: WindowStore = {
  grant: async ({ tokens }) => ({ granted: tokens, used: 0, remainingMs: 60_000 }),
  [Symbol.asyncDispose]: async () => undefined,
};

/** Where the people of the demo come in. */
class Town {
  readonly #ground: Ground & { readonly app: App; readonly company: Company };

  constructor(ground: Ground & { readonly app: App; readonly company: Company }) {
    this.#ground = ground;
  }

  /** Lets a person in: nobody of the demo has a password. */
  async visit(user_id: number): Promise<Visitor> {
    const { database, company, app } = this.#ground;
    const { token } = await database.write(company, commandActor, (tx) =>
      startSession(tx, { user_id, method: "link", user_agent: "Demo" }),
    );
    return new Visitor(app, token);
  }
}

async function fill(town: Town): Promise<void> {
  const [admin, creator] = [await town.visit(ADMIN), await town.visit(CREATOR)];
  const lessons = await writeLessons(admin, creator);
  const path_id = await buildPath(admin, lessons);
  const learners = await Promise.all(LEARNERS.map((user_id) => town.visit(user_id)));
  for (const [index, lesson] of lessons.entries()) {
    await admin.post("/api/v2/assignments", {
      user_ids: LEARNERS,
      assignable_type: "Lesson",
      assignable_id: lesson.id,
      due_by: inDays(index === 0 ? -3 : 7 * index),
    });
    for (const [number, learner] of learners.entries()) {
      const effort = efforts[(number + index) % efforts.length] ?? "opened";
      // Some wait to be graded in it since last month.
      if (await isToBeTaken(learner, lesson)) await take(learner, lesson, effort);
    }
  }
  await admin.post("/api/v2/assignments", {
    user_ids: LEARNERS,
    assignable_type: "LearningPaths::Path",
    assignable_id: path_id,
    due_by: inDays(30),
  });
}

async function isToBeTaken(learner: Visitor, { id }: Lesson): Promise<boolean> {
  const { data } = await learner.get("/api/v2/my/assignments?limit=200");
  return data.some(
    (assignment: Assigned) =>
      assignment.assignable_type === "Lesson" &&
      assignment.assignable_id === id &&
      ["assigned", "overdue"].includes(assignment.state),
  );
}

interface Assigned {
  readonly assignable_type: string;
  readonly assignable_id: number;
  readonly state: string;
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, "2026-12-31".length);
}

/** Writes and publishes every lesson of the folder, with its pictures, in place of the one of that title. */
async function writeLessons(admin: Visitor, creator: Visitor): Promise<Lesson[]> {
  const { data } = await admin.get("/api/v2/lessons?limit=200");
  const ids = new Map<string, number>(
    data.map(({ id, title }: { id: number; title: string }) => [title, id]),
  );
  const lessons: Lesson[] = [];
  for (const file of (await readdir(LESSONS)).toSorted()) {
    const text = await readFile(new URL(file, LESSONS), "utf8");
    const markdown = await withPictures(admin, text);
    const title = /^title: "?(.+?)"?$/m.exec(text)?.[1] ?? "";
    const id = ids.get(title);
    if (id === undefined) throw new Error(`the demo has no lesson called ${title}`);
    await admin.put(`/api/v2/lessons/${id}/authors/${CREATOR}`, { role: "owner" });
    const draft = { payload: markdown, type: "text/markdown" };
    await admin.ask("PUT", `/api/v2/lessons/${id}/markdown`, draft);
    await creator.post(`/api/v2/lessons/${id}/publish`, { note: "Written for the new library" });
    const { content: document } = await creator.get(`/api/v2/lessons/${id}/draft`);
    lessons.push({ id, document });
  }
  return lessons;
}

/** Uploads the pictures that a lesson names by their files, and names them by their ids. */
async function withPictures(author: Visitor, text: string): Promise<string> {
  let markdown = text;
  for (const [whole, name = ""] of text.matchAll(/file:([a-z-]+)\.svg/g)) {
    const drawing = await readFile(new URL(`${name}.svg`, PICTURES));
    const id = await author.upload(`${name}.png`, await render(drawing));
    markdown = markdown.replace(whole, `file:${id}`);
  }
  return markdown;
}

/** A drawing as a picture: files take no SVG for one, as it can hold scripts. */
async function render(drawing: Buffer): Promise<Buffer> {
  const { width, height } = PICTURE_PIXELS;
  const canvas = createCanvas(width, height);
  canvas.getContext("2d").drawImage(await loadImage(drawing), 0, 0, width, height);
  return canvas.encode("png");
}

/** A path that certifies for a year, of the lessons on security. */
async function buildPath(admin: Visitor, lessons: readonly Lesson[]): Promise<number> {
  const security = lessons.filter(({ document }) => document.sections.length > 0).slice(0, 3);
  const { id } = await admin.post("/api/v2/paths", {
    title: "Security, once a year",
    description: "What everybody has to know to keep our customers' data safe. Valid for a year.",
    is_certification: true,
    valid_months: 12,
    contents: security.map(({ id: lesson_id }) => ({ type: "lesson", lesson_id })),
  });
  await admin.post(`/api/v2/paths/${id}/publish`);
  return id;
}
