import type { FastifyRequest } from "fastify";
import type { Static } from "typebox";
import type { Database, Tx } from "../db/db.ts";
import type { App, AppOptions } from "../http/app.ts";
import { forbidden, Problem } from "../http/problem.ts";
import { answers, ref } from "../http/schema.ts";
import { readCookie, readSessionCookie, setCookie, setSessionCookie } from "../sessions/cookie.ts";
import { endSessionOfToken } from "../sessions/sign-in.ts";
import { ABSOLUTE_LIMIT_SECONDS, startSession, type StartedSession } from "../sessions/start.ts";
import { CompanyParams, SignInMethods } from "../sessions/v2-schema.ts";
import { beginJourney, configure, discover, endJourney } from "./flow.ts";
import { openJourney, sealJourney } from "./journey.ts";
import { getSignInMethods } from "./methods.ts";
import { findOrMakeUser, type Identity } from "./people.ts";
import {
  getProvider,
  type Provider,
  removeProvider,
  requireIssuer,
  setProvider,
  showProvider,
} from "./providers.ts";
import { NewSingleSignOn, RemovedSingleSignOn, SingleSignOn } from "./v2-schema.ts";

const tags = ["Single sign-on"];
/** The browser's cookie between leaving for the provider and coming back. */
const COOKIE = "__Host-lectern-sso";
/** Time enough to type a password and find a second factor. */
const JOURNEY_SECONDS = 600;

type Options = Pick<AppOptions, "database" | "secrets" | "allowPlainHttp">;

/** /api/v2/single_sign_on, and the way to the provider and back. */
export function registerSingleSignOnV2(app: App, options: Options): void {
  registerSettings(app, options);
  registerMethods(app);
  registerStart(app, options);
  registerCallback(app, options);
}

function registerSettings(app: App, options: Options): void {
  const config = { access: "settings.write", editable: true } as const;
  const response = answers(200, ref(SingleSignOn));
  app.get(
    "/api/v2/single_sign_on",
    { config, schema: { tags, summary: "Show the company's single sign-on", response } },
    (request) => request.read(async (tx) => showProvider(tx, await getProvider(tx))),
  );
  app.put(
    "/api/v2/single_sign_on",
    { config, schema: { tags, summary: "Set up single sign-on", body: NewSingleSignOn, response } },
    (request) => setUp(options, request, request.body),
  );
  app.delete(
    "/api/v2/single_sign_on",
    {
      config: { access: "settings.write" },
      schema: { tags, summary: "Take single sign-on away", response: answers(200, RemovedSingleSignOn) },
    },
    (request) => request.write(removeProvider),
  );
}

async function setUp(
  { secrets, allowPlainHttp }: Options,
  request: FastifyRequest,
  given: Static<typeof NewSingleSignOn>,
): Promise<Static<typeof SingleSignOn>> {
  requireIssuer(given.issuer, allowPlainHttp);
  // Before passwords are switched off, the provider has to be there.
  if (!given.allows_passwords) await discover({ ...given, client_secret: null }, secrets);
  return request.write((tx) => setProvider(tx, secrets, given));
}

function registerMethods(app: App): void {
  app.get(
    "/api/v2/companies/:subdomain/sign_in_methods",
    {
      config: { access: "public" },
      schema: {
        tags,
        summary: "Show how people of a company sign in",
        params: CompanyParams,
        response: answers(200, ref(SignInMethods)),
      },
    },
    (request) => request.read(getSignInMethods),
  );
}

const redirects = { 302: { description: "Goes on at Location.", type: "null" } };

function registerStart(app: App, { secrets }: Options): void {
  app.get(
    "/api/v2/companies/:subdomain/single_sign_on/start",
    {
      config: { access: "public", answersOther: true },
      schema: { tags, summary: "Go to the company's provider", params: CompanyParams, response: redirects },
    },
    async (request, reply) => {
      requireOwnWill(request);
      const { provider, now } = await request.read(readForJourney);
      const { url, journey } = await beginJourney(request.company, await configure(provider, secrets));
      const until = now.getTime() + JOURNEY_SECONDS * 1000;
      setCookie(reply, {
        name: COOKIE,
        value: sealJourney(secrets, journey, until),
        maxAgeSeconds: JOURNEY_SECONDS,
      });
      reply.header("cache-control", "no-store");
      return reply.redirect(url.href);
    },
  );
}

function registerCallback(app: App, { database, secrets }: Options): void {
  app.get(
    "/api/v2/companies/:subdomain/single_sign_on/callback",
    {
      config: { access: "public", answersOther: true, changesSession: true },
      schema: { tags, summary: "Come back from the provider", params: CompanyParams, response: redirects },
    },
    async (request, reply) => {
      const { company } = request;
      const { provider, now } = await request.read(readForJourney);
      const journey = openJourney(secrets, readCookie(request.headers.cookie, COOKIE), now);
      if (journey?.company !== company.id) {
        throw new Problem(401, "This sign-in was not begun here, or took too long: start again");
      }
      const search = /\?.*$/s.exec(request.originalUrl)?.[0] ?? "";
      const identity = await endJourney(company, await configure(provider, secrets), { journey, search });
      const { token } = await enter(database, request, { provider, identity });
      setSessionCookie(reply, token, ABSOLUTE_LIMIT_SECONDS);
      setCookie(reply, { name: COOKIE, value: "", maxAgeSeconds: 0 });
      reply.header("cache-control", "no-store");
      return reply.redirect("/");
    },
  );
}

/** A page of another site may link to here; that it sends somebody here on its own is refused. */
function requireOwnWill({ headers }: FastifyRequest): void {
  if (headers["sec-fetch-site"] !== "cross-site" || headers["sec-fetch-user"] === "?1") return;
  throw forbidden("Nobody is signed in unasked: follow the link yourself");
}

async function readForJourney(tx: Tx): Promise<{ provider: Provider; now: Date }> {
  return { provider: await getProvider(tx), now: tx.now };
}

/** Two transactions: making a user locks other counters than beginning a session, and who was made stays made. */
async function enter(
  database: Database,
  { company, actor, headers }: FastifyRequest,
  { provider, identity }: { readonly provider: Provider; readonly identity: Identity },
): Promise<StartedSession> {
  const user_id = await database.write(company, actor, (tx) => findOrMakeUser(tx, provider, identity));
  return database.write(company, actor, async (tx) => {
    const user_agent = headers["user-agent"];
    const started = await startSession(tx, { user_id, method: "single_sign_on", user_agent });
    await endSessionOfToken(tx, readSessionCookie(headers.cookie));
    return started;
  });
}
