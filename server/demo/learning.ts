import { listQuestions } from "../lessons/content/questions.ts";
import type { LessonDocument } from "../lessons/content/schema.ts";
import { rightAnswer } from "./answers.ts";
import type { Body, Visitor } from "./visitor.ts";

/** How far a learner of the demo gets in a lesson. */
export type Effort = "opened" | "half" | "failed" | "passed";

export interface Lesson {
  readonly id: number;
  readonly document: LessonDocument;
}

/** Takes a lesson as far as a learner gets: opened, half answered, handed in empty, or done right. */
export async function take(learner: Visitor, { id, document }: Lesson, effort: Effort): Promise<void> {
  const attempt = await learner.post("/api/v2/attempts", { lesson_id: id });
  const pages: Body[] = attempt.document.sections.flatMap((section: Body) => section.pages);
  const reached = effort === "opened" ? pages.slice(0, 1) : pages;
  await learner.put(`/api/v2/attempts/${attempt.id}/place`, {
    page_id: reached.at(-1).id,
    active_seconds: 45,
  });
  const shown = new Map<string, Body>(
    pages.flatMap((page) => page.blocks).map((block: Body) => [block.id, block]),
  );
  const questions = listQuestions(document);
  const answered = questions.slice(0, { opened: 0, half: 1, failed: 0, passed: questions.length }[effort]);
  for (const question of answered) {
    const answer = rightAnswer(question, shown.get(question.id));
    if (answer === undefined) continue;
    await learner.put(`/api/v2/attempts/${attempt.id}/answers/${question.id}`, { answer });
  }
  if (effort === "failed" || effort === "passed") await learner.post(`/api/v2/attempts/${attempt.id}/finish`);
}
