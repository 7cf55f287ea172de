import { Type } from "typebox";
import { ajv } from "../http/input.ts";
import type { FieldError } from "../http/problem.ts";
import { closed, nullable } from "../http/schema.ts";
import type { Scope } from "../privileges/privileges.ts";
import type { StoredActor } from "./jobs.ts";

/** Whether what a row has stored are errors. */
export const isFieldErrors = ajv.compile<FieldError[]>(
  Type.Array(closed({ field: Type.String(), message: Type.String() })),
);

const Id = nullable(Type.Integer());
const isActor = ajv.compile<StoredActor>(
  closed({
    type: Type.Unsafe<StoredActor["type"]>({ type: "string", enum: ["api_key", "user", "command"] }),
    id: Id,
    user_id: Id,
    viewer_id: Id,
    request_id: nullable(Type.String()),
    address: nullable(Type.String()),
    scopes: Type.Array(
      closed({
        privilege: Type.String(),
        scope: Type.Unsafe<Scope>({ type: "string", enum: ["all", "managed", "own"] }),
      }),
    ),
  }),
);

/** Reads who made a job, as it is stored. */
export function readActor(stored: unknown): StoredActor {
  if (!isActor(stored)) throw new Error(`a stored actor is none: ${JSON.stringify(stored)}`);
  return stored;
}
