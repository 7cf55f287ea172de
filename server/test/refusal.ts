import assert from "node:assert/strict";
import { allOperations, type Expected } from "./contract.ts";
import type { Answer, TestServer } from "./server.ts";
import { listOperations, type Operation } from "./walk.ts";

/** Fails unless the answer is a 400 of the shape that all have. */
export function assertRefused({ status, body }: Answer, what: string): void {
  assert.equal(status, 400, `${what} ${JSON.stringify(body).slice(0, 500)}`);
  const { request_id, message, errors, ...rest } = body;
  assert.deepEqual(rest, { type: "error", status: 400, error: "Malformed Request" }, what);
  assert.ok(typeof request_id === "string" && message.length > 3 && Array.isArray(errors), what);
}

/** The operations that take a body. */
export function listWrites(lectern: TestServer): Operation[] {
  return listOperations(lectern).filter(({ body }) => body !== undefined);
}

/** A body that the operation takes. */
export function sampleOf({ name }: Operation): Expected["body"] {
  return allOperations.find((operation) => operation.name === name)?.body;
}
