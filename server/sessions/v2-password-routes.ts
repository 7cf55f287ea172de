import { setTimeout } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import type { Static } from "typebox";
import { requireOwnOrigin } from "../http/access.ts";
import type { App } from "../http/app.ts";
import { answers, ref } from "../http/schema.ts";
import { toEmailKey } from "../users/users.ts";
import { requireVisibleUser } from "../users/visible.ts";
import { allowsPasswords } from "../sso/providers.ts";
import { askForLink, askForReset } from "./ask.ts";
import type { SignInLimits } from "./limits.ts";
import { redeemLink } from "./links.ts";
import { changePassword } from "./passwords.ts";
import { signsInElsewhere } from "./sign-in.ts";
import {
  CompanyParams,
  PasswordChange,
  PasswordChanged,
  Redemption,
  ResetAsked,
  ResetRequest,
  SignedIn,
  SignInLink,
  UserOfLinkParams,
} from "./v2-schema.ts";
import { answerStarted, type Exchange, requirePerson, withUser } from "./v2-answer.ts";

const tags = ["Passwords"];
/** Longer than the asking takes: nobody learns from the time of an answer who has an account. */
const ASKING_TAKES_MS = 200;

/** /api/v2/me/password, and the links that set one. */
export function registerPasswords(app: App, limits: SignInLimits): void {
  registerChange(app, limits);
  registerInvitations(app);
  registerResets(app, limits);
}

function registerChange(app: App, limits: SignInLimits): void {
  app.put(
    "/api/v2/me/password",
    {
      config: { access: "authenticated" },
      schema: {
        tags,
        summary: "Change one's password: every other session ends",
        body: PasswordChange,
        response: answers(200, PasswordChanged),
      },
    },
    (request) => changeOwn(limits, request, request.body),
  );
}

async function changeOwn(
  limits: SignInLimits,
  request: FastifyRequest,
  given: Static<typeof PasswordChange>,
): Promise<Static<typeof PasswordChanged>> {
  const { user_id, id: session_id } = requirePerson(request);
  await limits.countTry(request, `user ${user_id}`);
  return request.write((tx) => changePassword(tx, { user_id, session_id }, given));
}

function registerInvitations(app: App): void {
  app.post(
    "/api/v2/users/:user_id/invitations",
    {
      config: { access: "users.write" },
      schema: {
        tags,
        summary: "Invite a user to set a password",
        params: UserOfLinkParams,
        response: answers(201, ref(SignInLink)),
      },
    },
    async (request, reply) => {
      const { user_id } = request.params;
      const asked = await request.write(async (tx) => {
        if (!(await allowsPasswords(tx))) throw signsInElsewhere();
        await requireVisibleUser(tx, "users.write", user_id);
        return askForLink(tx, "invitation", user_id);
      });
      reply.code(201);
      return asked;
    },
  );
}

function registerResets(app: App, limits: SignInLimits): void {
  app.post(
    "/api/v2/companies/:subdomain/password_resets",
    {
      config: { access: "public" },
      schema: {
        tags,
        summary: "Ask for a link to set a new password",
        params: CompanyParams,
        body: ResetRequest,
        response: answers(201, ResetAsked),
      },
    },
    async (request, reply) => {
      const { email } = request.body;
      await limits.countTry(request, `reset ${toEmailKey(email)}`);
      const asking = request.write(async (tx) => {
        if (!(await allowsPasswords(tx))) throw signsInElsewhere();
        await askForReset(tx, toEmailKey(email));
        return { email };
      });
      const [asked] = await Promise.all([asking, setTimeout(ASKING_TAKES_MS)]);
      reply.code(201);
      return asked;
    },
  );
  app.post(
    "/api/v2/companies/:subdomain/password_resets/redeem",
    {
      config: { access: "public", changesSession: true },
      schema: {
        tags,
        summary: "Set a password with the token of a link, and sign in",
        params: CompanyParams,
        body: Redemption,
        response: answers(201, ref(SignedIn)),
      },
    },
    (request, reply) => redeem(limits, { request, reply }, request.body),
  );
}

async function redeem(
  limits: SignInLimits,
  { request, reply }: Exchange,
  given: Static<typeof Redemption>,
): Promise<Static<typeof SignedIn>> {
  requireOwnOrigin(request);
  await limits.countTry(request, `link ${given.token}`);
  const user_agent = request.headers["user-agent"];
  const redeemed = request.write(async (tx) => {
    const { user_id, ...started } = await redeemLink(tx, given, user_agent);
    return withUser(tx, user_id, started);
  });
  const started = await redeemed.catch(async (error: unknown) => {
    await limits.countFailure(request);
    throw error;
  });
  reply.code(201);
  return answerStarted(reply, started);
}
