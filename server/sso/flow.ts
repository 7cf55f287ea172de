import * as oidc from "openid-client";
import type { Company } from "../companies/companies.ts";
import { Problem, unavailable } from "../http/problem.ts";
import type { Secrets } from "../secrets.ts";
import type { Identity } from "./people.ts";
import { type Provider, redirectUri } from "./providers.ts";

/** How long a provider may take to answer one question. */
const TIMEOUT_SECONDS = 10;
const RETRY_AFTER_SECONDS = 30;

/** What a browser keeps between leaving for the provider and coming back, sealed. */
export interface Journey {
  readonly company: number;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Begins a journey. @returns the provider's address to go to. */
export async function beginJourney(
  company: Company,
  config: oidc.Configuration,
): Promise<{ url: URL; journey: Journey }> {
  const journey = {
    company: company.id,
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
  };
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri({ company }),
    scope: "openid email profile",
    state: journey.state,
    nonce: journey.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(journey.verifier),
    code_challenge_method: "S256",
  });
  return { url, journey };
}

/**
 * Ends a journey: changes the code for tokens, checks them, and reads who was signed in.
 * @param search the query that the provider has sent the browser back with.
 * @throws Problem 401 for an answer that is not the one to this journey, or a refusal of the provider.
 */
export async function endJourney(
  company: Company,
  config: oidc.Configuration,
  { journey, search }: { readonly journey: Journey; readonly search: string },
): Promise<Identity> {
  const url = new URL(redirectUri({ company }) + search);
  try {
    const tokens = await oidc.authorizationCodeGrant(config, url, {
      expectedState: journey.state,
      expectedNonce: journey.nonce,
      pkceCodeVerifier: journey.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error("the provider has sent no id token");
    const hasEmail = claims["email"] !== undefined || config.serverMetadata().userinfo_endpoint === undefined;
    return toIdentity(
      claims.sub,
      hasEmail ? claims : await oidc.fetchUserInfo(config, tokens.access_token, claims.sub),
    );
  } catch (error) {
    throw new Problem(401, "The provider did not sign you in: start again", { cause: error });
  }
}

/** E-mail and its verification are taken from one answer, never mixed. Some providers send `"true"` as a text. */
function toIdentity(subject: string, claims: Readonly<Record<string, unknown>>): Identity {
  const { email, email_verified, name } = claims;
  return {
    subject,
    email: typeof email === "string" ? email : undefined,
    email_verified: email_verified === true || email_verified === "true",
    name: typeof name === "string" ? name : undefined,
  };
}

/** A provider's keys and addresses seldom change; whoever starts a sign-in must not have us ask for them each time. */
const KEPT_MS = 10 * 60_000;
/** More providers than one process sees in that time; beyond it the oldest are forgotten. */
const MOST_KEPT = 1_000;
const kept = new Map<string, { readonly config: Promise<oidc.Configuration>; readonly until: number }>();

/** What is known of a company's provider, as it was asked for a while ago. @throws Problem 503 */
export function configure(provider: Provider, secrets: Secrets): Promise<oidc.Configuration> {
  // With the time of the last change: it is asked anew after each, in every process.
  const name = JSON.stringify([
    provider.issuer,
    provider.client_id,
    provider.client_secret,
    provider.updated_at,
  ]);
  const known = kept.get(name);
  if (known !== undefined && known.until > performance.now()) return known.config;
  const config = discover(provider, secrets);
  kept.delete(name);
  kept.set(name, { config, until: performance.now() + KEPT_MS });
  config.catch(() => kept.delete(name));
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size > MOST_KEPT) kept.delete(oldest);
  return config;
}

/** Asks a provider for its metadata. @throws Problem 503 when it does not give them. */
export async function discover(
  provider: Pick<Provider, "issuer" | "client_id" | "client_secret">,
  secrets: Secrets,
): Promise<oidc.Configuration> {
  const issuer = new URL(provider.issuer);
  const sealed = provider.client_secret;
  const secret = sealed === null ? undefined : secrets.open("single_sign_on", sealed);
  try {
    return await oidc.discovery(
      issuer,
      provider.client_id,
      secret,
      secret === undefined ? oidc.None() : undefined,
      {
        timeout: TIMEOUT_SECONDS,
        // The id token's signature is checked, though the token comes from the provider itself. Plain HTTP was let in
        // for the machine's own addresses alone.
        execute: [
          oidc.enableNonRepudiationChecks,
          ...(issuer.protocol === "http:" ? [oidc.allowInsecureRequests] : []),
        ],
      },
    );
  } catch (error) {
    throw unavailable("The identity provider does not answer: try again later", RETRY_AFTER_SECONDS, error);
  }
}
