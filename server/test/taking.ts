import assert from "node:assert/strict";
import type { Person } from "./person.ts";
import type { Answer, TestServer } from "./server.ts";

/** Assigns a lesson to people, due far from now. @returns the assignment of the first of them. */
export async function assign(
  lectern: Pick<TestServer, "acme">,
  lesson_id: number,
  ...people: readonly Person[]
): Promise<number> {
  const made = await lectern.acme.post("/api/v2/assignments", {
    user_ids: people.map(({ user_id }) => user_id),
    assignable_type: "Lesson",
    assignable_id: lesson_id,
    due_by: "2099-12-31",
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.data[0].id;
}

/** Begins a lesson as a person. */
export async function begin(person: Person, lesson_id: number, more: object = {}): Promise<Answer["body"]> {
  const begun = await person.post("/api/v2/attempts", { lesson_id, ...more });
  assert.equal(begun.status, 201, JSON.stringify(begun.body));
  return begun.body;
}

/** Saves an answer. */
export async function save(
  person: Person,
  attempt: Answer["body"],
  id: string,
  answer: object,
): Promise<Answer["body"]> {
  const saved = await person.put(`/api/v2/attempts/${attempt.id}/answers/${id}`, { answer });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  return saved.body;
}

/** Finishes an attempt. */
export async function finish(person: Person, attempt: Answer["body"]): Promise<Answer["body"]> {
  const finished = await person.post(`/api/v2/attempts/${attempt.id}/finish`);
  assert.equal(finished.status, 200, JSON.stringify(finished.body));
  return finished.body;
}
