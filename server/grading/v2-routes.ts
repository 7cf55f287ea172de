import { serializePlainly } from "../http/answer.ts";
import type { App } from "../http/app.ts";
import { answers } from "../http/schema.ts";
import { QuestionParams } from "../learning/v2-schema.ts";
import { claimAnswer } from "./claim.ts";
import { gradeAnswer } from "./grade.ts";
import { listPending } from "./queue.ts";
import { Claim, Graded, GradeBody, PendingAnswers, QueueQuery } from "./v2-schema.ts";

const tags = ["Grading"];
const config = { access: "answers.grade" } as const;

/** /api/v2/grading */
export function registerGrading(app: App): void {
  app.get(
    "/api/v2/grading",
    {
      config,
      // The prompts are rich texts, which nest.
      serializerCompiler: serializePlainly,
      schema: {
        tags,
        summary: "List answers that wait to be graded, the oldest first",
        querystring: QueueQuery,
        response: answers(200, PendingAnswers),
      },
    },
    (request) => request.read((tx) => listPending(tx, request.query)),
  );
  app.put(
    "/api/v2/grading/:attempt_id/:question_id",
    {
      config,
      schema: {
        tags,
        summary: "Grade an answer",
        params: QuestionParams,
        body: GradeBody,
        response: answers(200, Graded),
      },
    },
    (request) => request.write((tx) => gradeAnswer(tx, request.params, request.body)),
  );
  app.post(
    "/api/v2/grading/:attempt_id/:question_id/claim",
    {
      config,
      schema: {
        tags,
        summary: "Claim an answer to grade it",
        description: "It is yours for 15 minutes; claim it again to go on.",
        params: QuestionParams,
        response: answers(200, Claim),
      },
    },
    (request) => request.write((tx) => claimAnswer(tx, request.params)),
  );
}
