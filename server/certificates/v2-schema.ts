import { Type, type Static } from "typebox";
import { CursorQuery } from "../http/cursor.ts";
import { closed, component, Id, nullable, Time } from "../http/schema.ts";

const statuses = ["valid", "expired", "revoked"] as const;

/** What everybody may know who has the number. */
const shown = {
  number: Type.String({ description: "Names the certificate everywhere; nobody guesses one." }),
  status: Type.Unsafe<(typeof statuses)[number]>({ type: "string", enum: [...statuses] }),
  user_name: Type.String({ description: "The holder's name, as it was then." }),
  path_title: Type.String({ description: "The path's title, as it was then." }),
  issued_at: Time,
  expires_at: nullable(Time, {
    description: "The first moment after its last day; null for one that is valid for ever.",
  }),
  valid_until: nullable(Type.String(), { description: "Its last day, in the company's time zone." }),
};

/** A certificate as the public verifies it. */
export const PublicCertificate = component("PublicCertificate", closed(shown));

export const Certificate = component(
  "Certificate",
  closed({
    id: Id,
    resource_type: Type.Literal("certificate"),
    ...shown,
    user_id: Id,
    path_id: Id,
    assignment_id: Type.Integer({ description: "By which it was earned; it may be gone." }),
    revoked_at: nullable(Time),
    renewal_opened_at: nullable(Time, { description: "When the path was assigned anew to renew it." }),
  }),
);
export type Certificate = Static<typeof Certificate>;

export const certificateComponents = [PublicCertificate, Certificate];

const flag = Type.Unsafe<"true" | "false">({ type: "string", enum: ["true", "false"] });

export const CertificatesQuery = closed({
  ...CursorQuery,
  "filter[user_id]": Type.Optional(Id),
  "filter[path_id]": Type.Optional(Id),
  "filter[valid]": Type.Optional({ ...flag, description: "Neither expired nor revoked, or one of the two." }),
});
export type CertificatesQuery = Static<typeof CertificatesQuery>;

export const CertificateParams = Type.Object({ certificate_id: Id });

export const PublicParams = Type.Object({
  subdomain: Type.String({ maxLength: 63, description: "The company's subdomain." }),
  number: Type.String({
    maxLength: 40,
    pattern: "^[0-9A-Za-z]+-[0-9A-Za-z]+$",
    description: "The certificate's number.",
  }),
});
