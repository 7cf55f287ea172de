import assert from "node:assert/strict";
import { readDocument } from "../lessons/content/read.ts";
import type { Answer, Client, TestServer } from "./server.ts";

type School = Pick<TestServer, "make">;
type Company = Pick<Client, "company">;

/** A published lesson to take. */
export interface Taught {
  readonly title?: string;
  readonly retake_score?: number;
  readonly public?: boolean;
  /** The blocks of each page; a question is best made with the functions below. */
  readonly pages: readonly (readonly object[])[];
}

/** Makes a lesson and publishes it, as its first version. */
export async function teach(lectern: School, client: Company, given: Taught): Promise<number> {
  const { title = "Fire safety", retake_score = 0, public: isPublic = false } = given;
  const id = await lectern.make.lesson(client, { title, retake_score, public: isPublic });
  await publish(lectern, client, { ...given, title, retake_score, id, number: 1 });
  return id;
}

/** Publishes a version of a lesson. */
export async function publish(
  lectern: School,
  client: Company,
  given: Taught & { readonly id: number; readonly number: number; readonly title: string },
): Promise<void> {
  const { id: lesson_id, number, title, retake_score = 0 } = given;
  const content = readDocument({
    sections: [
      {
        id: "s1",
        title: "All of it",
        pages: given.pages.map((blocks, index) => ({
          id: `p${index + 1}`,
          title: `Page ${index + 1}`,
          blocks,
        })),
      },
    ],
  });
  await lectern.make.write(client, async (tx) => {
    const company_id = tx.company.id;
    await tx.sql
      .insertInto("lesson_versions")
      .values({
        ...{ company_id, lesson_id, number, title, retake_score, language: "en", diff: "[]" },
        content: JSON.stringify(content),
        published_at: tx.now.toISOString(),
      })
      .execute();
    await tx.sql
      .updateTable("lessons")
      .set({ published_version: number })
      .where("company_id", "=", company_id)
      .where("id", "=", lesson_id)
      .execute();
  });
}

const prompt = {
  type: "doc",
  content: [{ type: "paragraph", content: [{ type: "text", text: "What is right?" }] }],
};

/** A statement that is true or false. */
export function trueFalse(id: string, more: object = {}): object {
  return {
    id,
    type: "true_false",
    prompt,
    correct: true,
    feedback: { correct: "Yes", incorrect: "No" },
    ...more,
  };
}

/** A choice between a and b, of which a is right. */
export function choice(id: string, more: object = {}): object {
  const choices = [
    { id: "a", text: "Right", correct: true },
    { id: "b", text: "Wrong" },
  ];
  return { id, type: "multiple_choice", prompt, choices, shuffle: true, ...more };
}

/** A question that a person grades. */
export function freeResponse(id: string, more: object = {}): object {
  return { id, type: "free_response", prompt, ...more };
}

/** The id that an attempt gives to the choice with this text. */
export function keyOf(attempt: Answer["body"], question_id: string, text: string): string {
  const question = questionOf(attempt, question_id);
  const found = question.choices.find((each: { text: string }) => each.text === text);
  assert.ok(found, `${question_id} has no choice ${text}`);
  return found.id;
}

/** A question of an attempt, as its learner sees it. */
export function questionOf(attempt: Answer["body"], question_id: string): Answer["body"] {
  return attempt.document.sections
    .flatMap(({ pages }: Answer["body"]) => pages.flatMap(({ blocks }: Answer["body"]) => blocks))
    .find(({ id }: { id: string }) => id === question_id);
}
