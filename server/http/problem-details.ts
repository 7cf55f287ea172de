import { Type, type Static } from "typebox";
import type { FieldError, Problem } from "./problem.ts";

/** The body of every error in version 2: problem details (RFC 9457). */
export const ProblemDetails = Type.Object(
  {
    type: Type.Literal("about:blank"),
    title: Type.String({ description: "The fixed phrase of the status." }),
    status: Type.Integer(),
    detail: Type.String({ description: "What is wrong and what to do, for people." }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            pointer: Type.String({
              description: "The wrong place in the body, as a JSON pointer (RFC 6901).",
            }),
            field: Type.String({ description: "The same for people, such as members[2].id." }),
            detail: Type.String(),
          },
          { additionalProperties: false },
        ),
        { description: "Each field that is wrong." },
      ),
    ),
    request_id: Type.String({ description: "Names this request in the server's log." }),
  },
  {
    $id: "Problem",
    additionalProperties: true,
    examples: [
      {
        type: "about:blank",
        title: "Unprocessable Content",
        status: 422,
        detail: "name is required",
        errors: [{ pointer: "/name", field: "name", detail: "is required" }],
        request_id: "req-1",
      },
    ],
  },
);

const titles = new Map([
  [400, "Bad Request"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "Not Found"],
  [405, "Method Not Allowed"],
  [406, "Not Acceptable"],
  [409, "Conflict"],
  [410, "Gone"],
  [412, "Precondition Failed"],
  [413, "Content Too Large"],
  [416, "Range Not Satisfiable"],
  [422, "Unprocessable Content"],
  [429, "Too Many Requests"],
  [503, "Service Unavailable"],
]);

/** An error as version 2 says it: what can be read and is wrong is 422, and the rate limit is 429. */
export function toDetails(
  problem: Problem,
  request_id: string,
): { media_type: string; body: Static<typeof ProblemDetails> } {
  const status = statusOf(problem);
  return {
    media_type: "application/problem+json; charset=utf-8",
    body: {
      type: "about:blank",
      title: titles.get(status) ?? "Internal Server Error",
      status,
      detail: problem.message,
      ...(problem.errors.length > 0 ? { errors: problem.errors.map(toDetail) } : {}),
      ...problem.members,
      request_id,
    },
  };
}

function statusOf({ status, phrase, errors }: Problem): number {
  if (status === 400 && errors.length > 0) return 422;
  return phrase === "Rate Limit Exceeded" ? 429 : status;
}

/** `members[2].id` → `/members/2/id` */
function toDetail({ field, message }: FieldError) {
  const parts = field.replaceAll("]", "").split(/[.[]/);
  const pointer = parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return { pointer, field, detail: message };
}
