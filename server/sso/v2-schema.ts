import { Type } from "typebox";
import { closed, component, Id, nullable, Time } from "../http/schema.ts";

const issuer = Type.String({
  minLength: 1,
  maxLength: 500,
  description: "The provider's address, under which /.well-known/openid-configuration is.",
  examples: ["https://login.example.com"],
});
const client_id = Type.String({ minLength: 1, maxLength: 500 });
const makes_users = Type.Boolean({
  description:
    "Whether somebody whom the provider knows and the company does not is made a user at the first sign-in.",
});
const allows_passwords = Type.Boolean({ description: "Whether people may sign in with a password too." });

/** A company's single sign-on, as administrators see it. */
export const SingleSignOn = component(
  "SingleSignOn",
  closed({
    issuer,
    client_id,
    has_client_secret: Type.Boolean({ description: "The secret itself is never shown." }),
    makes_users,
    new_user_role_id: Id,
    allows_passwords,
    redirect_uri: Type.String({ description: "What to register at the provider." }),
    updated_at: Time,
  }),
);

export const NewSingleSignOn = closed({
  issuer,
  client_id,
  client_secret: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 1_000 }), {
      description: "Left out, the secret stays; null takes it away, for a public client.",
    }),
  ),
  makes_users,
  new_user_role_id: Id,
  allows_passwords,
});

export const RemovedSingleSignOn = closed({ issuer });
