import { audit } from "../db/audit.ts";
import type { WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { lockForUsers } from "../groups/refill.ts";
import { forbidden } from "../http/problem.ts";
import { userEvents } from "../users/events.ts";
import { createUser, toEmailKey, userCounters } from "../users/users.ts";
import type { Provider } from "./providers.ts";

/** Whom the provider says that it has signed in. */
export interface Identity {
  readonly subject: string;
  readonly email: string | undefined;
  /** Whether the provider has made sure that the e-mail is theirs. */
  readonly email_verified: boolean;
  readonly name: string | undefined;
}

/** The columns of users hold no more. */
const MOST_SUBJECT_CHARACTERS = 255;
const MOST_NAME_CHARACTERS = 255;
const MOST_EMAIL_CHARACTERS = 254;

/**
 * Finds the user of an identity: by its subject; at the first sign-in by the e-mail, if the provider has verified it, as
 * anybody could claim another's; or makes one, where the company wants that.
 * @throws Problem 403 for somebody who is not let in, with what an administrator can do.
 */
export async function findOrMakeUser(tx: WriteTx, provider: Provider, identity: Identity): Promise<number> {
  // What createUser locks: whoever comes twice at once is one person.
  const { at } = await lockForUsers(tx, ...userCounters);
  const known = await findBySubject(tx, identity.subject);
  if (known !== undefined) return known;
  if (identity.subject === "" || identity.subject.length > MOST_SUBJECT_CHARACTERS) throw notLetIn();
  if (identity.email === undefined || !identity.email_verified) {
    throw forbidden(
      "Your provider does not say that your e-mail is verified: ask its administrator to have it verified",
    );
  }
  const user_id = (await findByEmail(tx, identity.email)) ?? (await makeUser(tx, provider, identity));
  await follow(tx, userEvents, [user_id]);
  await tx.sql
    .updateTable("users")
    .set({ sso_id: identity.subject })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .execute();
  await audit(tx, {
    action: "link_single_sign_on",
    resource_type: "user",
    resource_id: user_id,
    after: { issuer: provider.issuer },
    at,
  });
  return user_id;
}

async function findBySubject(tx: WriteTx, subject: string): Promise<number | undefined> {
  const users = await tx.sql
    .selectFrom("users")
    .select(["id", "archived_at"])
    .where("company_id", "=", tx.company.id)
    .where("sso_id", "=", subject)
    .limit(2)
    .execute();
  const [user] = users;
  if (user === undefined) return undefined;
  // An import may bring two of one subject: nobody is signed in as either.
  if (users.length > 1 || user.archived_at !== null) throw notLetIn();
  return user.id;
}

async function findByEmail(tx: WriteTx, email: string): Promise<number | undefined> {
  const user = await tx.sql
    .selectFrom("users")
    .select(["id", "archived_at", "sso_id"])
    .where("company_id", "=", tx.company.id)
    .where("email_key", "=", toEmailKey(email))
    .executeTakeFirst();
  if (user === undefined) return undefined;
  // Who has another subject is another person, whose e-mail this one has got since.
  if (user.archived_at !== null || user.sso_id !== null) throw notLetIn();
  return user.id;
}

async function makeUser(tx: WriteTx, provider: Provider, { email = "", name }: Identity): Promise<number> {
  if (!provider.makes_users) throw notLetIn();
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > MOST_EMAIL_CHARACTERS) throw notLetIn();
  const made = await createUser(tx, {
    name: toName(name) || toName(email.split("@")[0]) || "New user",
    email,
    role_id: provider.new_user_role_id,
    // They are signing in to it right now.
    notify: false,
  });
  return made.id;
}

/** A name without the characters that names can't have. */
function toName(given = ""): string {
  return given
    .replaceAll(/[!@#$%^&*+=()|[\];`\p{Control}]/gu, "")
    .trim()
    .slice(0, MOST_NAME_CHARACTERS);
}

function notLetIn() {
  return forbidden("Nobody of this company is known as you here: ask your administrator for an account");
}
