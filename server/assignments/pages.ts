import type { Envelope, Page } from "../http/page.ts";

/** A page of assignments as every paginated list answers it. */
export function toAnswer<const T extends string, A>(type: T, { total, rows }: Page<A>, envelope: Envelope) {
  return { type, total_assignments: total, ...envelope, assignments: [...rows] };
}
