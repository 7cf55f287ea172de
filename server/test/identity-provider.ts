import { createServer } from "node:http";
import { once } from "node:events";
import { type Context, Provider } from "oidc-provider";

/** What the provider says of an account. */
export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

/** An OpenID Connect provider of its own, on this machine. */
export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly client: { readonly client_id: string; readonly client_secret: string };
  /** Its accounts, by subject. */
  readonly accounts: Map<string, Account>;
  /** Publishes other keys than it signs with, as if somebody else had signed. */
  publishOtherKeys(): Promise<void>;
  /**
   * Goes from an address of the provider, as the browser of somebody who signs in there, to where it sends them back.
   * @param subject whom the provider signs in; `refused` for who changes their mind.
   */
  visit(url: string, subject: string): Promise<URL>;
}

/** Starts a provider that sends people back to one address. */
export async function startIdentityProvider(redirect_uri: string): Promise<IdentityProvider> {
  const accounts = new Map<string, Account>();
  const client = { client_id: "lectern", client_secret: "a secret that the provider knows" };
  let visitor = "";
  let published: string | undefined;
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the provider has no port");
  const issuer = `http://127.0.0.1:${address.port}`;
  const provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [redirect_uri] }],
    ...claims(accounts),
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => "/interaction" },
    loadExistingGrant,
    ttl: { Interaction: 60, Grant: 60, Session: 60, AccessToken: 60, IdToken: 60 },
    cookies: { keys: ["signs the provider's own cookies"] },
  });
  const serve = provider.callback();
  server.on("request", (request, response) => {
    if (request.url === "/jwks" && published !== undefined) {
      return void response.setHeader("content-type", "application/jwk-set+json").end(published);
    }
    if (request.url !== "/interaction") return serve(request, response);
    const result = visitor === "refused" ? { error: "access_denied" } : { login: { accountId: visitor } };
    return void provider.interactionFinished(request, response, result);
  });
  return {
    ...{ issuer, client, accounts },
    publishOtherKeys: async () => {
      const keys = await fetch(`${issuer}/jwks`).then((answer) => answer.text());
      // The first digits of each modulus, the other way round.
      published = keys.replaceAll(
        /"n":"(.{300})/g,
        (_, n: string) => `"n":"${Array.from(n).toReversed().join("")}`,
      );
    },
    visit: (url, subject) => {
      visitor = subject;
      return follow(url, issuer);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function claims(accounts: ReadonlyMap<string, Account>) {
  return {
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_context: Context, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...accounts.get(sub) }),
    }),
  };
}

/** Nobody is asked whether the client may know them. */
async function loadExistingGrant({ oidc }: Context) {
  const { client, session, provider } = oidc;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope("openid email profile");
  await grant.save();
  return grant;
}

/** More than the provider needs to send somebody back. */
const MOST_REDIRECTS = 10;

async function follow(url: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = new URL(url);
  for (let hops = 0; hops < MOST_REDIRECTS && next.origin === issuer; hops += 1) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(next, { redirect: "manual", headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split(/=(.*)/s);
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    next = new URL(location, issuer);
  }
  return next;
}
