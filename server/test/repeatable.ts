import assert from "node:assert/strict";
import type { InjectOptions } from "fastify";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { unsubscribeUrl } from "../mail/unsubscribe.ts";
import { makeLink } from "../sessions/links.ts";
import { makeContent } from "./content.ts";
import { type Person, signIn } from "./person.ts";
import type { Answer, TestServer } from "./server.ts";
import { assign, begin, finish, save } from "./taking.ts";
import { freeResponse, trueFalse } from "./taught.ts";
import { sendPart, upload } from "./uploads.ts";
import { sampleOf } from "./v2-samples.ts";
import type { Operation } from "./walk.ts";

type Body = Answer["body"];
const PASSWORD = "correct horse battery";
const NEW_PASSWORD = "a boring Tuesday in Lisbon";

/** A write that succeeds. */
export interface Request extends InjectOptions {
  readonly name: string;
}

/**
 * Makes a request of every write that can be sent again, each with something of its own to change.
 * @param ada the company's first administrator, who is to send them.
 */
export async function makeRequests(
  lectern: TestServer,
  ada: Person,
  writes: readonly Operation[],
): Promise<Request[]> {
  const content = await makeContent(lectern, lectern.acme, "Amber");
  const maker = new Maker(lectern, ada);
  const lesson = await maker.taught();
  const ready: Record<string, Ready> = {
    ...(await signingIn(maker)),
    ...(await groups(maker, lesson)),
    ...(await people(maker)),
    ...(await mails(maker)),
    ...(await files(maker)),
    ...(await authoring(maker, lesson)),
    ...(await assigning(maker, lesson)),
    ...(await learning(maker)),
  };
  const known = new Set([...Object.keys(ready), ...excused]);
  for (const name of known)
    assert.ok(
      writes.some((write) => write.name === name),
      `${name} is an operation`,
    );
  // Who signs in where they are signed in has that session ended.
  const isPublic = (name: string) => lectern.routeTable.accesses.get(name) === "public";
  return writes
    .filter(({ name }) => !excused.has(name))
    .map((operation) => {
      const { name, method } = operation;
      const { place, ...given } = ready[name] ?? {};
      const ids: Readonly<Record<string, unknown>> = { ...content, subdomain: "acme", version: 1, ...place };
      const url = operation.url.replaceAll(/:(\w+)/g, (_, key: string) => String(ids[key]));
      const payload = sampleOf(lectern, operation, content);
      const headers = { ...given.headers, ...(isPublic(name) && { cookie: "" }) };
      return { name, method, url, ...(payload !== undefined && { payload }), ...given, headers };
    });
}

/**
 * Who has signed out is not let in again to be told so; a part is put where it was, by whatever request; a ping is sent
 * whenever one is asked for; and this server has one host for all companies.
 */
const excused: ReadonlySet<string> = new Set([
  "POST /api/v2/sessions",
  "DELETE /api/v2/sessions/current",
  "PUT /api/v2/uploads/:upload_id/parts/:part",
  "POST /api/v2/webhooks/:webhook_id/test",
]);

interface Ready extends Pick<InjectOptions, "payload" | "headers" | "query"> {
  /** What the address names, but for the content of the company. */
  readonly place?: Readonly<Record<string, number | string>>;
}

type Lesson = Readonly<Record<"lesson_id", number>>;

/** Makes what requests need, as an administrator. */
class Maker {
  readonly lectern: TestServer;
  readonly ada: Person;
  #people = 0;

  constructor(lectern: TestServer, ada: Person) {
    this.lectern = lectern;
    this.ada = ada;
  }

  async made(url: string, body?: object): Promise<Body> {
    const answer = await this.ada.post(`/api/v2/${url}`, body);
    assert.ok(answer.status < 300, `${url} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async user(): Promise<{ user_id: number }> {
    this.#people += 1;
    const email = `somebody-${this.#people}@example.com`;
    return { user_id: (await this.made("users", { name: "Somebody", email, role_id: 32 })).id };
  }

  async draft(): Promise<Lesson> {
    const pages = [{ id: "one", title: "One", blocks: [trueFalse("tf"), freeResponse("essay")] }];
    const content = { sections: [{ id: "all", title: "All", pages }] };
    const lesson = { title: "Taught", public: true, retake_score: 0, content };
    return { lesson_id: (await this.made("lessons", lesson)).id };
  }

  async taught(): Promise<Lesson> {
    const lesson = await this.draft();
    await this.made(`lessons/${lesson.lesson_id}/publish`, {});
    return lesson;
  }

  async path(lesson: Lesson): Promise<{ path_id: number; step_id: string }> {
    const { id } = await this.made("paths", { title: "Way", contents: [{ type: "lesson", ...lesson }] });
    return { path_id: id, step_id: `lesson-${lesson.lesson_id}` };
  }

  async group(): Promise<{ group_id: number }> {
    return { group_id: (await this.made("groups", { name: "Crew" })).id };
  }

  async attempt(): Promise<{ attempt_id: number }> {
    return { attempt_id: (await begin(this.ada, (await this.taught()).lesson_id)).id };
  }

  /** An answer that waits for a grader. */
  async waiting(): Promise<{ attempt_id: number; question_id: string }> {
    const learner = await signIn(this.lectern, this.lectern.acme);
    const begun = await begin(learner, (await this.taught()).lesson_id);
    await save(learner, begun, "essay", { text: "Because." });
    await finish(learner, begun);
    return { attempt_id: begun.id, question_id: "essay" };
  }

  async assignment(): Promise<{ assignment_id: number }> {
    const learner = await signIn(this.lectern, this.lectern.acme);
    return { assignment_id: await assign(this.lectern, (await this.taught()).lesson_id, learner) };
  }

  async completed(): Promise<{ assignment_id: number }> {
    const { lesson_id } = await this.taught();
    const learner = await signIn(this.lectern, this.lectern.acme);
    const assignment_id = await assign(this.lectern, lesson_id, learner);
    await finish(learner, await begin(learner, lesson_id));
    return { assignment_id };
  }
}

async function signingIn(maker: Maker): Promise<Record<string, Ready>> {
  const credentials = { payload: { email: "ada@example.com", password: PASSWORD } };
  const { user_id } = await maker.user();
  const link = await maker.lectern.make.write(maker.lectern.acme, (tx) => makeLink(tx, "reset", user_id));
  return {
    "POST /api/v2/companies/:subdomain/sessions": credentials,
    "PUT /api/v2/me/password": {
      payload: { current_password: PASSWORD, new_password: NEW_PASSWORD },
    },
    "POST /api/v2/companies/:subdomain/password_resets/redeem": {
      payload: {
        token: new URL(link.url).hash.replace("#token=", ""),
        password: NEW_PASSWORD,
      },
    },
    "PUT /api/v2/single_sign_on": {
      payload: {
        issuer: "https://id.example.com",
        client_id: "us",
        makes_users: false,
        new_user_role_id: 32,
        allows_passwords: true,
        client_secret: "not told",
      },
    },
  };
}

async function groups(maker: Maker, lesson: Lesson): Promise<Record<string, Ready>> {
  const crew = await maker.group();
  const member = { ...crew, ...(await maker.user()) };
  const given = await maker.made(`groups/${crew.group_id}/assignments`, thing(lesson));
  return {
    "POST /api/v2/jobs/:job_id/cancel": {
      place: { job_id: (await maker.made("users/bulk", { rows: [{ name: "Bo" }] })).id },
    },
    "POST /api/v2/groups/preview_rule": {
      payload: { rule: { match: "all", conditions: [{ field: "department", op: "is", value: "Sales" }] } },
    },
    "DELETE /api/v2/groups/:group_id": { place: await maker.group() },
    "PUT /api/v2/groups/:group_id/members/:user_id": { place: member },
    "DELETE /api/v2/groups/:group_id/members/:user_id": { place: member },
    "PUT /api/v2/groups/:group_id/managers/:user_id": { place: member },
    "DELETE /api/v2/groups/:group_id/managers/:user_id": { place: member },
    "POST /api/v2/groups/:group_id/assignments": { payload: thing(await maker.taught()) },
    "DELETE /api/v2/groups/:group_id/assignments/:group_assignment_id": {
      place: { ...crew, group_assignment_id: given.id },
    },
  };
}

async function people(maker: Maker): Promise<Record<string, Ready>> {
  const away = await maker.user();
  return {
    "DELETE /api/v2/users/:user_id": { place: await maker.user() },
    "POST /api/v2/users/:user_id/archive": { place: away },
    "POST /api/v2/users/:user_id/restore": { place: away },
    "POST /api/v2/users/:user_id/anonymize": { place: await maker.user() },
    "POST /api/v2/users/:user_id/invitations": { place: await maker.user() },
    "DELETE /api/v2/roles/:role_id": {
      place: { role_id: (await maker.made("roles", { name: "Gone", privileges: [] })).id },
    },
    "DELETE /api/v2/api_keys/:api_key_id": {
      place: { api_key_id: (await maker.made("api_keys", { name: "Gone", privileges: ["tags.write"] })).id },
    },
  };
}

async function mails({ lectern, ada }: Maker): Promise<Record<string, Ready>> {
  const ended = { user_id: ada.user_id, categories: ["team"] } as const;
  const { searchParams } = new URL(unsubscribeUrl(lectern.acme.company, ended, lectern.secrets));
  const mail_id = await lectern.make.write(lectern.acme, (tx) => addRefusedMail(tx, ada.user_id));
  return {
    "POST /api/v2/mails/:mail_id/send_again": { place: { mail_id } },
    "POST /api/v2/companies/:subdomain/unsubscribe": { query: Object.fromEntries(searchParams) },
  };
}

async function addRefusedMail(tx: WriteTx, user_id: number): Promise<number> {
  const at = await lockCounters(tx, "mails");
  const id = await moveCounter(tx, { kind: "mails", ids: 1, total: 0, at });
  const letter = { kind: "assigned", is_gathered: true, queue: 2, message_id: "<refused@example.com>" };
  await tx.sql
    .insertInto("mails")
    .values({
      company_id: tx.company.id,
      id,
      user_id,
      ...letter,
      status: "refused",
      tries: 6,
      created_at: at,
    })
    .execute();
  return id;
}

async function files(maker: Maker): Promise<Record<string, Ready>> {
  const bytes = Buffer.from("Note");
  const begun = await maker.made("uploads", { name: "note.txt", size: bytes.length });
  await sendPart(maker.ada, { id: begun.id, number: 1, bytes });
  return {
    "POST /api/v2/uploads/:upload_id/complete": { place: { upload_id: begun.id } },
    "DELETE /api/v2/files/:file_id": {
      place: { file_id: (await upload(maker.ada, { name: "old.txt", bytes: Buffer.from("Old") })).id },
    },
  };
}

async function authoring(maker: Maker, lesson: Lesson): Promise<Record<string, Ready>> {
  const author = await maker.user();
  const text = {
    payload: "---\ntitle: Written\n---\n\n# All\n\n## One\n\nText.\n",
    headers: { "content-type": "text/markdown" },
  };
  return {
    "POST /api/v2/paths/:path_id/draft/steps": {
      place: await maker.path(lesson),
      payload: { type: "lesson", ...lesson },
    },
    "PATCH /api/v2/paths/:path_id/draft/steps/:step_id": { place: await maker.path(lesson) },
    "DELETE /api/v2/paths/:path_id/draft/steps/:step_id": { place: await maker.path(lesson) },
    "POST /api/v2/paths/:path_id/draft/steps/:step_id/move": { place: await maker.path(lesson) },
    "POST /api/v2/paths/:path_id/publish": { place: await maker.path(lesson) },
    "PUT /api/v2/paths/:path_id/authors/:user_id": { place: author, payload: { role: "author" } },
    "DELETE /api/v2/paths/:path_id/authors/:user_id": { place: author },
    "PUT /api/v2/lessons/:lesson_id/authors/:user_id": { place: author, payload: { role: "author" } },
    "DELETE /api/v2/lessons/:lesson_id/authors/:user_id": { place: author },
    "POST /api/v2/lessons/:lesson_id/publish": { place: await maker.draft() },
    "PUT /api/v2/lessons/:lesson_id/markdown": { ...text, place: await maker.draft() },
    "POST /api/v2/lessons/markdown": text,
    "POST /api/v2/library/views": { payload: { resource_type: "lesson", id: lesson.lesson_id } },
    "PATCH /api/v2/tags/:tag_id": { payload: { name: "Renamed" } },
    "POST /api/v2/webhooks/:webhook_id/resend": { payload: { failed: true } },
    "DELETE /api/v2/webhooks/:webhook_id": {
      place: { webhook_id: (await maker.made("webhooks", { url: "https://example.com", types: ["*"] })).id },
    },
  };
}

async function assigning(maker: Maker, lesson: Lesson): Promise<Record<string, Ready>> {
  return {
    "POST /api/v2/assignments": {
      payload: { ...thing(lesson), user_ids: [(await maker.user()).user_id] },
    },
    "PATCH /api/v2/assignments/:assignment_id": { place: await maker.assignment() },
    "DELETE /api/v2/assignments/:assignment_id": { place: await maker.assignment() },
    "POST /api/v2/assignments/:assignment_id/reassign": { place: await maker.completed() },
  };
}

async function learning(maker: Maker): Promise<Record<string, Ready>> {
  const answered = await maker.attempt();
  await save(maker.ada, { id: answered.attempt_id }, "tf", { value: true });
  return {
    "POST /api/v2/attempts": { payload: await maker.taught() },
    "PUT /api/v2/attempts/:attempt_id/place": {
      place: answered,
      payload: { page_id: "one", active_seconds: 0 },
    },
    "POST /api/v2/attempts/:attempt_id/finish": { place: await maker.attempt() },
    "PUT /api/v2/attempts/:attempt_id/answers/:question_id": {
      place: { ...answered, question_id: "tf" },
      payload: { answer: { value: false } },
    },
    "POST /api/v2/attempts/:attempt_id/answers/:question_id/check": {
      place: { ...answered, question_id: "tf" },
    },
    "PUT /api/v2/grading/:attempt_id/:question_id": {
      place: await maker.waiting(),
      payload: { percent: 80 },
    },
    "POST /api/v2/grading/:attempt_id/:question_id/claim": { place: await maker.waiting() },
  };
}

function thing({ lesson_id }: Lesson): { assignable_type: string; assignable_id: number } {
  return { assignable_type: "Lesson", assignable_id: lesson_id };
}
