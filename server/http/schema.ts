import { Type, type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from "typebox";

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
export function component<const N extends string, S extends TSchema>(
  name: N,
  schema: S,
): S & { readonly $id: N } {
  return Object.assign(schema, { $id: name });
}

export const Id = Type.Integer({
  minimum: 1,
  description: "A positive integer, unique in the company among its kind.",
});

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
  archived_by_user_id: nullable(Id, {
    description: "Who archived it; null for a key made on the command line.",
  }),
};

/** Where people find a lesson, path or course. */
export const Links = component(
  "Links",
  closed({
    overview: Type.String({ description: "Its page for authors." }),
    shareable: Type.String({ description: "Its page for learners." }),
  }),
);

/** The answer of an operation that succeeds. The document adds those of the errors, which are the same everywhere. */
export function answers<const C extends 200 | 201, S extends TSchema>(code: C, schema: S): { [K in C]: S };
export function answers(code: 200 | 201, schema: TSchema): Record<number, unknown> {
  return { [code]: { description: successes[code], ...schema } };
}

const successes = {
  200: "Done. What was asked for, or what was changed as it is now.",
  201: "Done. What was made.",
} as const;
