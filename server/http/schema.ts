import { Type, type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from "typebox";
import { ErrorBody } from "./problem.ts";

/** An object of an answer: exactly these keys, no other. */
export function closed<P extends TProperties>(properties: P, options: object = {}): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** A value of this type, or null. One schema with two types, as a union of schemas is slow to serialise. */
export function nullable<S extends TSchema & { readonly type: string }>(
  schema: S,
  options: object = {},
): TUnsafe<Static<S> | null> {
  return Type.Unsafe<Static<S> | null>({ ...schema, ...options, type: [schema.type, "null"] });
}

/** A named schema of the document, by reference. */
export function ref<S extends TSchema & { readonly $id: string }>(schema: S): TUnsafe<Static<S>> {
  return Type.Unsafe<Static<S>>({ $ref: `${schema.$id}#` });
}

/** A schema with a name, to stand in the document once. */
export function component<const N extends string, S extends TSchema>(name: N, schema: S): S & { readonly $id: N } {
  return Object.assign(schema, { $id: name });
}

export const Id = Type.Integer({ minimum: 1, description: "A positive integer, unique in the company among its kind." });

export const Time = Type.String({
  description: "ISO 8601 in UTC, to the second, such as 2016-04-03T14:55:00Z.",
  examples: ["2016-04-03T14:55:00Z"],
});

export const ZonedTime = Type.String({
  description: "ISO 8601 with milliseconds and the offset of the company's time zone.",
  examples: ["2016-10-13T09:34:24.151-04:00"],
});

/** The archive state that users, groups, lessons, paths and courses have. */
export const archiveState = {
  archived_at: nullable(ZonedTime, { description: "When it was archived; null while it is active." }),
  archived_by_user_id: nullable(Id, { description: "Who archived it; null for a key made on the command line." }),
};

/** Where people find a lesson, path or course. */
export const Links = component(
  "Links",
  closed({
    overview: Type.String({ description: "Its page for authors." }),
    shareable: Type.String({ description: "Its page for learners." }),
  }),
);

const errorAnswers = {
  400: "The request is malformed, or a value in it is not acceptable: each field is named.",
  401: "The subdomain or the API key is missing or wrong.",
  403: "The key has no privilege for this, the company's plan lacks the feature, or the rate limit is reached.",
  404: "The resource does not exist in this company.",
  405: "The address does not take this method; Allow says which it takes.",
  406: "A format other than JSON was asked for.",
  500: "Something went wrong on the server's side.",
  503: "Maintenance or overload: try again after Retry-After.",
} as const;

/** The answers of an operation: the one of success, and every error. */
export function answers<const C extends 200 | 201, S extends TSchema>(
  code: C,
  schema: S,
): { [K in C]: S } & { [K in keyof typeof errorAnswers]: typeof ErrorBody };
export function answers(code: 200 | 201, schema: TSchema): Record<number, unknown> {
  const errors = Object.entries(errorAnswers).map(([status, description]) => [
    status,
    { description, $ref: "Error#" },
  ]);
  return { [code]: { description: successes[code], ...schema }, ...Object.fromEntries(errors) };
}

const successes = {
  200: "Done. What was asked for, or what was changed as it is now.",
  201: "Done. What was made.",
} as const;
