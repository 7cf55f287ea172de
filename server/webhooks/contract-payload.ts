import { LessonCompleted } from "../learning/lesson-completed.ts";

const { user, lesson } = LessonCompleted.properties;
/** The payload's keys in their order: its own, then those of the objects in it. */
const KEYS = [LessonCompleted, user, lesson].flatMap(({ properties }) => Object.keys(properties));

/**
 * The contract's payload of a completion, as JSON, from the event's data. It is what is stored, but where the person was
 * erased since: then it has the contract's keys all the same, in their order, and does not say so by one more.
 */
export function toContractPayload(data: string): string {
  const read: unknown = JSON.parse(data);
  const isErased = typeof read === "object" && read !== null && "erased" in read;
  return isErased ? JSON.stringify(read, KEYS) : data;
}
