import { Type } from "typebox";
import { CursorQuery, listOf } from "../http/cursor.ts";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";
import { privilegeNames, type Privilege, type Scope } from "../privileges/privileges.ts";
import { MOST_PASSWORD_CHARACTERS } from "./password-rules.ts";

/** Longer than any e-mail address (RFC 5321). */
const MOST_EMAIL_CHARACTERS = 254;
/** Passwords of an import may be longer than new ones. */
const MOST_TYPED_CHARACTERS = 1_000;

const email = Type.String({ minLength: 1, maxLength: MOST_EMAIL_CHARACTERS });
const typedPassword = Type.String({ minLength: 1, maxLength: MOST_TYPED_CHARACTERS });
const newPassword = Type.String({
  maxLength: MOST_TYPED_CHARACTERS,
  description: `12 to ${MOST_PASSWORD_CHARACTERS} characters of any kind; none of those that are guessed first.`,
});

export const CompanyParams = Type.Object({
  subdomain: Type.String({ description: "The company's subdomain." }),
});
export const SessionParams = Type.Object({ session_id: Id });
export const UserOfLinkParams = Type.Object({ user_id: Id });

export const SignedInUser = component(
  "SignedInUser",
  closed({
    id: Id,
    name: Type.String(),
    email: Type.String(),
    role: Type.String(),
    role_id: Id,
    locale: Type.String(),
  }),
);

/** The answer of everything that signs in: the session itself is in a cookie, and nowhere else. */
export const SignedIn = component(
  "SignedIn",
  closed({ session_id: Id, user: ref(SignedInUser), expires_at: Time }),
);

export const Session = component(
  "Session",
  closed({
    id: Id,
    user_id: Id,
    created_at: Time,
    last_seen_at: Time,
    expires_at: Time,
    address: nullable(Type.String({ description: "Where the person signed in from." })),
    user_agent: nullable(Type.String({ description: "How the browser calls itself." })),
    is_current: Type.Boolean({ description: "Whether it is the one that asks." }),
  }),
);
export const SessionPage = listOf(ref(Session));
export const SessionQuery = Type.Object({
  ...CursorQuery,
  "filter[user_id]": Type.Optional(
    Type.Integer({ minimum: 1, description: "Whose, for administrators; one's own without it." }),
  ),
});

const Grant = closed({
  privilege: Type.Unsafe<Privilege>({ type: "string", enum: [...privilegeNames] }),
  scope: Type.Unsafe<Scope>({ type: "string", enum: ["all", "managed", "own"] }),
});

export const Me = component(
  "Me",
  closed({
    user: Type.Union([ref(SignedInUser), Type.Null()], { description: "Who is signed in; null for a key." }),
    session_id: nullable(Id),
    api_key: Type.Union([closed({ id: Id, prefix: Type.String() }), Type.Null()]),
    privileges: Type.Array(Grant, { description: "What the caller may do, and how far it reaches." }),
    company: closed({ id: Id, subdomain: Type.String(), name: Type.String(), time_zone: Type.String() }),
  }),
);

export const Credentials = closed({ email, password: typedPassword });
export const PasswordChange = closed({ current_password: typedPassword, new_password: newPassword });
export const ResetRequest = closed({ email });
export const Redemption = closed({
  token: Type.String({ minLength: 1, maxLength: 200 }),
  password: newPassword,
});
export const Ended = closed({ id: Id });
export const AllEnded = closed({
  user_id: Id,
  ended: Type.Integer({ description: "How many sessions have ended; the one that asks goes on." }),
});
export const PasswordChanged = closed({ user_id: Id });

export const SignInLink = component(
  "SignInLink",
  closed({
    id: Id,
    kind: Type.Unsafe<"invitation" | "reset">({ type: "string", enum: ["invitation", "reset"] }),
    user_id: Id,
    asked_at: Time,
  }),
);

/** The same whether anybody has the e-mail. */
export const ResetAsked = closed({
  email: Type.String({ description: "As it was sent. If it is an active user's, a link goes there." }),
});

export const SignInMethods = component(
  "SignInMethods",
  closed({
    company: closed({ subdomain: Type.String(), name: Type.String() }),
    password: Type.Boolean({ description: "Whether people sign in with e-mail and password." }),
    single_sign_on: nullable(
      Type.String({ description: "The address that starts single sign-on; null where there is none." }),
    ),
  }),
);
