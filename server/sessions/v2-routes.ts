import type { Static } from "typebox";
import { requireOwnOrigin } from "../http/access.ts";
import type { App, AppOptions } from "../http/app.ts";
import { readCursorPage } from "../http/cursor.ts";
import { answers, ref } from "../http/schema.ts";
import { notFound } from "../http/problem.ts";
import { clearSessionCookie, readSessionCookie } from "./cookie.ts";
import { registerPasswords } from "./v2-password-routes.ts";
import { answerStarted, type Exchange, requirePerson, withUser } from "./v2-answer.ts";
import { SignInLimits } from "./limits.ts";
import { getMe } from "./me.ts";
import { endSession, endSessionsOfUser, listSessions } from "./sessions.ts";
import { findCredentials, signInVerified, verify } from "./sign-in.ts";
import { notSignedIn } from "./start.ts";
import {
  AllEnded,
  CompanyParams,
  Credentials,
  Ended,
  Me,
  SessionPage,
  SessionParams,
  SessionQuery,
  SignedIn,
  UserOfLinkParams,
} from "./v2-schema.ts";

const tags = ["Sessions"];
const signedIn = answers(201, ref(SignedIn));

/** /api/v2/sessions, /api/v2/me, and passwords. */
export function registerSessionsV2(app: App, { limiter }: Pick<AppOptions, "limiter">): void {
  const limits = new SignInLimits(limiter);
  registerSignIn(app, limits);
  registerOwn(app);
  registerEnds(app);
  registerPasswords(app, limits);
}

function registerSignIn(app: App, limits: SignInLimits): void {
  const config = { access: "public", changesSession: true } as const;
  const body = Credentials;
  app.post(
    "/api/v2/sessions",
    {
      config,
      schema: { tags, summary: "Sign in at the company of this host", body, response: signedIn },
    },
    (request, reply) => signIn(limits, { request, reply }, request.body),
  );
  app.post(
    "/api/v2/companies/:subdomain/sessions",
    { config, schema: { tags, summary: "Sign in", params: CompanyParams, body, response: signedIn } },
    (request, reply) => signIn(limits, { request, reply }, request.body),
  );
}

async function signIn(
  limits: SignInLimits,
  { request, reply }: Exchange,
  { email, password }: Static<typeof Credentials>,
): Promise<Static<typeof SignedIn>> {
  requireOwnOrigin(request);
  await limits.countTry(request, email.toLowerCase());
  const stored = await request.read((tx) => findCredentials(tx, email));
  const verified = await verify(password, stored);
  if (verified === undefined) {
    request.log.warn({ company_id: request.company.id, user_id: stored?.user_id ?? null }, "sign-in refused");
    await limits.countFailure(request);
    throw notSignedIn();
  }
  const browser = {
    user_agent: request.headers["user-agent"],
    token: readSessionCookie(request.headers.cookie),
  };
  const started = await request.write(async (tx) =>
    withUser(tx, verified.user_id, await signInVerified(tx, verified, browser)),
  );
  reply.code(201);
  return answerStarted(reply, started);
}

function registerOwn(app: App): void {
  app.get(
    "/api/v2/me",
    {
      config: { access: "authenticated" },
      schema: { tags, summary: "Show who calls", response: answers(200, ref(Me)) },
    },
    (request) => {
      const { caller } = request;
      if (caller === null) throw notFound("User");
      return request.read((tx) => getMe(tx, caller));
    },
  );
  app.get(
    "/api/v2/sessions",
    {
      config: { access: "authenticated" },
      schema: {
        tags,
        summary: "List a person's sessions",
        querystring: SessionQuery,
        response: answers(200, SessionPage),
      },
    },
    (request) => {
      const user_id = request.query["filter[user_id]"] ?? requirePerson(request).user_id;
      const page = readCursorPage(request.query);
      return request.read((tx) => listSessions(tx, page, { user_id, current: request.caller?.session?.id }));
    },
  );
}

function registerEnds(app: App): void {
  app.delete(
    "/api/v2/sessions/current",
    {
      config: { access: "authenticated", changesSession: true },
      schema: { tags, summary: "Sign out", response: answers(200, Ended) },
    },
    async (request, reply) => {
      const { id } = requirePerson(request);
      const ended = await request.write((tx) => endSession(tx, id));
      clearSessionCookie(reply);
      return ended;
    },
  );
  app.delete(
    "/api/v2/sessions/:session_id",
    {
      config: { access: "authenticated", changesSession: true },
      schema: { tags, summary: "End a session", params: SessionParams, response: answers(200, Ended) },
    },
    (request) => request.write((tx) => endSession(tx, request.params.session_id)),
  );
  app.delete(
    "/api/v2/users/:user_id/sessions",
    {
      config: { access: "authenticated" },
      schema: {
        tags,
        summary: "End all sessions of a person, but the one that asks",
        params: UserOfLinkParams,
        response: answers(200, AllEnded),
      },
    },
    (request) => {
      const asked = { user_id: request.params.user_id, current: request.caller?.session?.id };
      return request.write((tx) => endSessionsOfUser(tx, asked));
    },
  );
}
