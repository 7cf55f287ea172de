import { randomBytes } from "node:crypto";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { invalid } from "../http/problem.ts";
import { utcTime } from "../time.ts";
import { hashPassword } from "../users/passwords.ts";
import { hashToken } from "./find.ts";
import { checkNewPassword, findOwner, setPassword } from "./passwords.ts";
import { startSession, type StartedSession } from "./start.ts";

export type LinkKind = "invitation" | "reset";

/** A reset is asked for by who sits and waits; an invitation may meet a holiday. */
const HOURS: Record<LinkKind, number> = { reset: 1, invitation: 7 * 24 };
/** Links of one person that work at a time: a later one does not void those before, or whoever asks could. */
const MOST_LINKS_OF_A_USER = 12;
const TOKEN_BYTES = 32;

/** A link that was asked for. */
export interface AskedLink {
  readonly id: number;
  readonly kind: LinkKind;
  readonly user_id: number;
  readonly asked_at: string;
}

/** Makes a link at once, for who hands it over by themselves: the operator's command, a mail about a new account. */
export async function makeLink(tx: WriteTx, kind: LinkKind, user_id: number) {
  const at = await lockCounters(tx, "sign_in_links");
  return issueLink(tx, await insertLink(tx, { kind, user_id, at }));
}

/** Stores a link that has no token yet. The counter of links is locked. */
export async function insertLink(
  tx: WriteTx,
  { kind, user_id, at }: { readonly kind: LinkKind; readonly user_id: number; readonly at: string },
): Promise<AskedLink> {
  await deleteOldLinks(tx, user_id);
  const id = await moveCounter(tx, { kind: "sign_in_links", ids: 1, total: 0, at });
  const asked_at = tx.now.toISOString();
  await tx.sql
    .insertInto("sign_in_links")
    .values({ company_id: tx.company.id, id, kind, user_id, asked_at })
    .execute();
  const action = kind === "invitation" ? "invite_user" : "ask_for_reset";
  await audit(tx, { action, resource_type: "user", resource_id: user_id, at });
  return { id, kind, user_id, asked_at: utcTime(asked_at) };
}

/** What opens once, and until when. */
export interface IssuedLink {
  readonly url: string;
  readonly expires_at: string;
}

/**
 * Makes the token of a link. It is told once, to who delivers it; its hash is stored.
 * @returns the address to open, and until when it works.
 */
export async function issueLink(tx: WriteTx, link: Pick<AskedLink, "id" | "kind">): Promise<IssuedLink> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const expires_at = new Date(tx.now.getTime() + HOURS[link.kind] * 3_600_000).toISOString();
  await tx.sql
    .updateTable("sign_in_links")
    .set({ hash: hashToken(token), expires_at })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", link.id)
    .execute();
  const { base_url, subdomain } = tx.company;
  // Behind the # no server, log or Referer header ever sees the token.
  return {
    url: `${base_url}/set-password?company=${subdomain}#token=${token}`,
    expires_at: utcTime(expires_at),
  };
}

/**
 * Lets the token that a link has now work beside the one that is made for it next, for a mail that may have arrived. The
 * counter of links is locked since `at`.
 */
export async function keepToken(tx: WriteTx, link_id: number, at: string): Promise<void> {
  const company_id = tx.company.id;
  const issued = await tx.sql
    .selectFrom("sign_in_links")
    .select(["kind", "user_id", "asked_at", "hash", "expires_at"])
    .where("company_id", "=", company_id)
    .where("id", "=", link_id)
    .where("expires_at", ">", tx.now.toISOString())
    .executeTakeFirst();
  if (issued === undefined) return;
  await tx.sql
    .updateTable("sign_in_links")
    .set({ hash: null, expires_at: null })
    .where("company_id", "=", company_id)
    .where("id", "=", link_id)
    .execute();
  const id = await moveCounter(tx, { kind: "sign_in_links", ids: 1, total: 0, at });
  await tx.sql
    .insertInto("sign_in_links")
    .values({ company_id, id, ...issued })
    .execute();
}

/**
 * Sets a password with the token of a link, which is used up, and signs its person in.
 * The hashing takes long, so it comes before anything is locked.
 * @throws Problem 422 for a token that is unknown, was used or has expired, or a password that is soon guessed.
 */
export async function redeemLink(
  tx: WriteTx,
  { token, password }: { readonly token: string; readonly password: string },
  user_agent: string | undefined,
): Promise<StartedSession & { user_id: number }> {
  const link = await findLink(tx, token);
  if (link === undefined) throw brokenLink();
  const { user_id } = link;
  checkNewPassword("password", password, await findOwner(tx, user_id));
  const hash = await hashPassword(password);
  const started = await startSession(tx, { user_id, method: "link", user_agent });
  // Of two who come at once the other has used it up meanwhile: its password has deleted it.
  if ((await findLink(tx, token)) === undefined) throw brokenLink();
  await setPassword(tx, { user_id, hash, keep: started.id });
  return { ...started, user_id };
}

/** The link of a token that works now. */
function findLink(tx: Tx, token: string): Promise<{ user_id: number } | undefined> {
  return tx.sql
    .selectFrom("sign_in_links")
    .innerJoin("users", (join) =>
      join
        .onRef("users.company_id", "=", "sign_in_links.company_id")
        .onRef("users.id", "=", "sign_in_links.user_id"),
    )
    .select("sign_in_links.user_id")
    .where("sign_in_links.company_id", "=", tx.company.id)
    .where("users.company_id", "=", tx.company.id)
    .where("sign_in_links.hash", "=", hashToken(token))
    .where("sign_in_links.expires_at", ">", tx.now.toISOString())
    .where("users.archived_at", "is", null)
    .executeTakeFirst();
}

function brokenLink() {
  return invalid({ field: "token", message: "is unknown, was used or has expired: ask for a new link" });
}

/** Deletes a person's links that have expired, and the oldest beyond what they may have. */
async function deleteOldLinks(tx: WriteTx, user_id: number): Promise<void> {
  await tx.sql
    .deleteFrom("sign_in_links")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .where((eb) =>
      eb.or([
        eb("expires_at", "<=", tx.now.toISOString()),
        eb(
          "id",
          "in",
          eb
            .selectFrom("sign_in_links as kept")
            .select("kept.id")
            .where("kept.company_id", "=", tx.company.id)
            .where("kept.user_id", "=", user_id)
            .orderBy("kept.id", "desc")
            .offset(MOST_LINKS_OF_A_USER - 1),
        ),
      ]),
    )
    .execute();
}
