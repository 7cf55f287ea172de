import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { DatabaseError } from "pg";
import { Type, type Static } from "typebox";
import { toDetails } from "./problem-details.ts";
import { isOfVersion2 } from "./versions.ts";

/** What is wrong with one field, such as `members[2].id`. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** An error that the caller is told, with its status. */
export class Problem extends Error {
  override name = "Problem";
  readonly status: number;
  /** The fixed phrase of the status, or another that the contract gives. */
  readonly phrase: string;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  /** Further members of the body in version 2. */
  readonly members: object;

  constructor(
    status: number,
    message: string,
    more: {
      phrase?: string;
      errors?: readonly FieldError[];
      headers?: Record<string, string>;
      members?: object;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.status = status;
    this.phrase = more.phrase ?? phrases.get(status) ?? STATUS_CODES[status] ?? "Error";
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
    this.members = more.members ?? {};
  }
}

const phrases = new Map([[400, "Malformed Request"]]);

/** A body of thousands of wrong elements is told of the first ones. */
const MOST_ERRORS = 100;

/** 400: each field that is wrong, and why. */
export function invalid(...errors: readonly FieldError[]): Problem {
  const told = errors.slice(0, MOST_ERRORS);
  const messages = told.map(({ field, message }) => `${field} ${message}`);
  if (errors.length > told.length) messages.push(`and ${errors.length - told.length} more`);
  return new Problem(400, messages.join("; "), { errors: told });
}

/** 400 for a body or an address that can't be read at all. */
export function malformed(message: string): Problem {
  return new Problem(400, message);
}

export function unauthorized(): Problem {
  return new Problem(401, "The subdomain or the API key is missing or wrong", {
    headers: { "www-authenticate": 'Basic realm="Lectern API", charset="UTF-8"' },
  });
}

export function forbidden(message: string): Problem {
  return new Problem(403, message);
}

export function rateLimited(retryAfterSeconds: number): Problem {
  return new Problem(403, "Rate Limit Exceeded", {
    phrase: "Rate Limit Exceeded",
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

/** 409 in version 2: the state of things is against it. The contract has no 409, so in version 1 it is 400. */
export function conflict(message: string): Problem {
  return new Problem(409, message);
}

/** 422 in version 2 for what no field is to blame for; 400 in version 1. */
export function unprocessable(message: string): Problem {
  return new Problem(422, message);
}

/** 410: what was asked for was there, and is no longer. */
export function gone(message: string): Problem {
  return new Problem(410, message);
}

/** 404, the same whether the thing exists in another company or nowhere. */
export function notFound(what: string): Problem {
  return new Problem(404, `${what} not found`);
}

export function methodNotAllowed(allowed: readonly string[]): Problem {
  const allow = allowed.join(", ");
  return new Problem(405, `This address takes ${allow}`, { headers: { allow } });
}

export function notAcceptable(): Problem {
  return new Problem(406, "Answers are JSON only: send Accept: application/json, or no Accept header");
}

/** @param cause what happened, for the log. */
export function unavailable(message: string, retryAfterSeconds: number, cause?: unknown): Problem {
  return new Problem(503, message, { headers: { "retry-after": String(retryAfterSeconds) }, cause });
}

/** The body of every error. */
export const ErrorBody = Type.Object(
  {
    type: Type.Literal("error"),
    status: Type.Integer({ description: "The HTTP status again." }),
    error: Type.String({ description: "A fixed phrase for each status." }),
    message: Type.String({ description: "What is wrong and what to do, for people." }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({ field: Type.String(), message: Type.String() }, { additionalProperties: false }),
        {
          description: "Each field that is wrong; on 400 alone.",
        },
      ),
    ),
    request_id: Type.String({ description: "Names this request in the server's log." }),
  },
  {
    $id: "Error",
    additionalProperties: false,
    examples: [
      {
        type: "error",
        status: 400,
        error: "Malformed Request",
        message: "name is required",
        errors: [{ field: "name", message: "is required" }],
        request_id: "req-1",
      },
    ],
  },
);

/** Answers whatever was thrown. What is unforeseen is logged, and the caller gets no more than a request id. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error);
  if (problem.status >= 500)
    request.log.error({ err: error }, problem.status === 500 ? "unforeseen error" : "unavailable");
  const answer = isOfVersion2(request.url)
    ? toDetails(problem, request.id)
    : toErrorBody(problem, request.id);
  return reply
    .code(answer.body.status)
    .headers(problem.headers)
    .header("content-type", answer.media_type)
    .serializer(JSON.stringify)
    .send(answer.body);
}

/** The contract's error, which knows no status between 406 and 500. */
function toErrorBody(
  problem: Problem,
  request_id: string,
): { media_type: string; body: Static<typeof ErrorBody> } {
  const isMalformed = [400, 409, 412, 422].includes(problem.status);
  return {
    media_type: "application/json; charset=utf-8",
    body: {
      type: "error",
      status: isMalformed ? 400 : problem.status,
      error: isMalformed ? "Malformed Request" : problem.phrase,
      message: problem.message,
      ...(isMalformed ? { errors: [...problem.errors] } : {}),
      request_id,
    },
  };
}

/** Seconds after which a caller may try again when the database is away or overloaded. */
const RETRY_AFTER_SECONDS = 5;

function toProblem(error: FastifyError): Problem {
  if (error instanceof Problem) return error;
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") return malformed("The body is larger than 1 MiB");
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return malformed("The body must be application/json or application/x-www-form-urlencoded");
  }
  if (isUnavailable(error)) {
    return unavailable(
      "The service is overloaded or its database is away: try again later",
      RETRY_AFTER_SECONDS,
    );
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return malformed("The request can't be read");
  }
  return new Problem(
    500,
    "Something went wrong on our side: try again later, and name this request id if it stays",
  );
}

/**
 * SQLSTATE classes and codes: connection lost, the database takes none, out of resources, operator intervention,
 * statement or lock time-out, deadlock.
 */
const UNAVAILABLE_STATES = /^(08|53|55000|57P|57014|55P03|25P03|40P01)/;
const UNAVAILABLE_CODES = new Set(["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT"]);
const UNAVAILABLE_MESSAGES =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed)/;

function isUnavailable(error: FastifyError): boolean {
  if (error instanceof DatabaseError) return UNAVAILABLE_STATES.test(error.code ?? "");
  return UNAVAILABLE_CODES.has(error.code) || UNAVAILABLE_MESSAGES.test(error.message);
}

/** Answers what is no HTTP at all, before there is a request: the connection ends with it. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return;
  const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const body: Static<typeof ErrorBody> = {
    type: "error",
    status: 400,
    error: "Malformed Request",
    message: isLate ? "The request did not arrive in time" : "This is no HTTP request that can be read",
    errors: [],
    request_id: "",
  };
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
