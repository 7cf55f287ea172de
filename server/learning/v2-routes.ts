import type { App } from "../http/app.ts";
import { serializePlainly } from "../http/answer.ts";
import { answers, ref } from "../http/schema.ts";
import { UserParams } from "../users/schema.ts";
import { checkAnswer, saveAnswer } from "./answers.ts";
import { finishAttempt } from "./finish.ts";
import { listMyAttempts, listMyReportCards, listReportCards } from "./lists.ts";
import { movePlace } from "./place.ts";
import { getMyAttempt, getReportCard } from "./report-cards.ts";
import { startAttempt } from "./start.ts";
import {
  AnswerBody,
  AttemptList,
  AttemptParams,
  AttemptPlace,
  AttemptQuery,
  CheckedAnswer,
  LessonAttempt,
  NewAttempt,
  PlaceBody,
  QuestionParams,
  ReportCard,
  ReportCardQuery,
  SavedAnswer,
  StartedLesson,
  TakenLesson,
} from "./v2-schema.ts";

const tags = ["Attempts"];
const config = { access: "learn" } as const;
/** A lesson's content is long, and blocks are of many kinds: what is made from such a schema tries each of them. */
const serializerCompiler = serializePlainly;

/** /api/v2/attempts, /api/v2/my/attempts and report cards */
export function registerAttempts(app: App): void {
  registerTaking(app);
  registerMoving(app);
  registerAnswers(app);
  registerReportCards(app);
}

function registerTaking(app: App): void {
  app.post(
    "/api/v2/attempts",
    {
      config,
      serializerCompiler,
      schema: {
        tags,
        summary: "Begin a lesson, or go on with it",
        description: "201 for an attempt that is begun, 200 for the one that was open.",
        body: NewAttempt,
        response: { ...answers(200, StartedLesson), ...answers(201, StartedLesson) },
      },
    },
    async (request, reply) => {
      const started = await request.write((tx) => startAttempt(tx, request.body, request.files));
      return reply.code(started.resumed ? 200 : 201).send(started);
    },
  );
  app.get(
    "/api/v2/attempts/:attempt_id",
    {
      config,
      serializerCompiler,
      schema: {
        tags,
        summary: "Show one's own attempt with its lesson and answers",
        params: AttemptParams,
        response: answers(200, ref(TakenLesson)),
      },
    },
    (request) => request.read((tx) => getMyAttempt(tx, request.params.attempt_id, request.files)),
  );
}

function registerMoving(app: App): void {
  app.put(
    "/api/v2/attempts/:attempt_id/place",
    {
      config,
      schema: {
        tags,
        summary: "Say where one is in a lesson, and for how long one was active",
        params: AttemptParams,
        body: PlaceBody,
        response: answers(200, AttemptPlace),
      },
    },
    (request) => request.write((tx) => movePlace(tx, request.params.attempt_id, request.body)),
  );
  app.post(
    "/api/v2/attempts/:attempt_id/finish",
    {
      config,
      schema: {
        tags,
        summary: "Finish an attempt",
        description: "Finished again it is the same: there is one completion.",
        params: AttemptParams,
        response: answers(200, ref(LessonAttempt)),
      },
    },
    (request) => request.write((tx) => finishAttempt(tx, request.params.attempt_id)),
  );
}

function registerAnswers(app: App): void {
  const url = "/api/v2/attempts/:attempt_id/answers/:question_id";
  app.put(
    url,
    {
      config,
      schema: {
        tags,
        summary: "Save an answer",
        description: "The last writer wins; with `revision` one is told what that replaced.",
        params: QuestionParams,
        body: AnswerBody,
        response: answers(200, SavedAnswer),
      },
    },
    (request) => request.write((tx) => saveAnswer(tx, request.params, request.body)),
  );
  app.post(
    `${url}/check`,
    {
      config,
      serializerCompiler,
      schema: {
        tags,
        summary: "Answer a question for good, and be told what is right",
        params: QuestionParams,
        response: answers(200, CheckedAnswer),
      },
    },
    (request) => request.write((tx) => checkAnswer(tx, request.params)),
  );
}

function registerReportCards(app: App): void {
  app.get(
    "/api/v2/my/attempts",
    {
      config,
      schema: {
        tags,
        summary: "List one's own attempts",
        querystring: AttemptQuery,
        response: answers(200, AttemptList),
      },
    },
    (request) => request.read((tx) => listMyAttempts(tx, request.query)),
  );
  app.get(
    "/api/v2/my/report_cards",
    {
      config,
      schema: {
        tags: ["Report cards"],
        summary: "List one's own report cards",
        querystring: ReportCardQuery,
        response: answers(200, AttemptList),
      },
    },
    (request) => request.read((tx) => listMyReportCards(tx, request.query)),
  );
  app.get(
    "/api/v2/users/:user_id/report_cards",
    {
      config: { access: "assignments.read" },
      schema: {
        tags: ["Report cards"],
        summary: "List a user's report cards",
        params: UserParams,
        querystring: ReportCardQuery,
        response: answers(200, AttemptList),
      },
    },
    (request) => request.read((tx) => listReportCards(tx, request.params.user_id, request.query)),
  );
  app.get(
    "/api/v2/report_cards/:attempt_id",
    {
      // For the learner, managers, authors and graders: whose privilege reaches it is found with the attempt.
      config: { access: "authenticated" },
      serializerCompiler,
      schema: {
        tags: ["Report cards"],
        summary: "Show a finished attempt with its answers, marks and comments",
        params: AttemptParams,
        response: answers(200, ref(ReportCard)),
      },
    },
    (request) => request.read((tx) => getReportCard(tx, request.params.attempt_id, request.files)),
  );
}
