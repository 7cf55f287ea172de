import type { LessonQuestion } from "./question-schema.ts";
import type { LessonBlock, LessonDocument } from "./schema.ts";

/** Every block of a lesson, in the order of reading. */
export function listBlocks({ sections }: LessonDocument): LessonBlock[] {
  return sections.flatMap(({ pages }) => pages.flatMap(({ blocks }) => blocks));
}

/** Whether a block asks something. */
export function isQuestion(block: LessonBlock): block is LessonQuestion {
  return "prompt" in block;
}

/** Every question of a lesson, polls too, in the order of reading. */
export function listQuestions(document: LessonDocument): LessonQuestion[] {
  return listBlocks(document).filter((block) => isQuestion(block));
}

/** The question with this id, if the lesson has it. */
export function findQuestion(document: LessonDocument, id: string): LessonQuestion | undefined {
  return listQuestions(document).find((question) => question.id === id);
}

/** Whether a question counts in the score. */
export function isScored(question: LessonQuestion): question is Exclude<LessonQuestion, { type: "poll" }> {
  return question.type !== "poll" && question.weight > 0;
}

/** Whether an answer waits for a person who grades it. One that counts nothing does not. */
export function needsGrader(question: LessonQuestion): boolean {
  return isScored(question) && "rubric" in question;
}
