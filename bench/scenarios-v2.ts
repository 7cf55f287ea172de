import { toLearnerAnswer } from "../server/lessons/content/answers.ts";
import { encodeCursor } from "../server/http/cursor.ts";
import type { LessonAnswer } from "../server/lessons/content/answer-schema.ts";
import type { LessonQuestion } from "../server/lessons/content/question-schema.ts";
import type { BenchCompanies } from "./companies.ts";
import type { Learner, OpenAttempt } from "./fill-learning.ts";
import { questions, rightAnswers } from "./lesson.ts";
import { toRequest } from "./load.ts";
import { against, get, type Scenario } from "./scenarios.ts";

/** Version 2 gives at least so much of what the bare server gives. */
const SHARE = 0.5;
/** With an event, its webhook and the worker that sends it, where the bare server has none of them. */
const SHARE_WITH_WEBHOOK = 0.6;
const USER_PAGES = 10;
const USERS_ON_A_PAGE = 50;
/** Attempts that answers are saved in; each then has all its questions answered in turn. */
const SAVED_IN = 3000;
/** A report is quick in itself, or as quick as its statement. */
const REPORT_MS = 300;
const REPORT_RATIO = 1.5;

/** Everything of version 2 that has a bar. */
export function makeV2Scenarios(companies: BenchCompanies): Scenario[] {
  const { learning } = companies;
  // The two servers take turns in one company, each with attempts of its own.
  const attempts = {
    bare: learning.attempts.filter((_, index) => index % 2 === 0),
    ours: learning.attempts.filter((_, index) => index % 2 === 1),
  };
  return [
    profiles(companies),
    against(SHARE, "v2: my assignments", {
      ours: learning.learners.map((learner) => ask(learner, "GET", "/api/v2/my/assignments")),
      bare: learning.learners.map(({ user_id }) => toRequest("GET", `/${learning.id}/mine/${user_id}`)),
    }),
    saving(learning.id, attempts),
    finishing(learning.id, attempts),
    ...reports(companies),
  ];
}

function profiles({ big }: BenchCompanies): Scenario {
  const ends = Array.from({ length: USER_PAGES }, (_, index) => (index + 2) * USERS_ON_A_PAGE);
  return against(SHARE, "v2: 50 users", {
    ours: ends.map((id) => get(big, `/api/v2/users?cursor=${encodeCursor([id])}`)),
    bare: ends.map((id) => toRequest("GET", `/${big.id}/profiles?below=${id}`)),
  });
}

interface Attempts {
  readonly bare: readonly OpenAttempt[];
  readonly ours: readonly OpenAttempt[];
}

function saving(company: number, attempts: Attempts): Scenario {
  return {
    ...against(SHARE, "v2: save an answer", {
      ours: listAnswers(attempts.ours).map(({ attempt: { id, learner, seed }, question, answer }) =>
        ask(learner, "PUT", `/api/v2/attempts/${id}/answers/${question.id}`, {
          answer: toLearnerAnswer(question, answer, seed),
        }),
      ),
      // It is sent what it stores.
      bare: listAnswers(attempts.bare).map(({ attempt, question, answer }) =>
        toRequest("PUT", `/${company}/attempts/${attempt.id}/answers/${question.id}`, {
          body: JSON.stringify({ answer }),
        }),
      ),
    }),
    isSame: false,
  };
}

interface Answer {
  readonly attempt: OpenAttempt;
  readonly question: LessonQuestion;
  readonly answer: LessonAnswer;
}

/** Each attempt gets one answer after the other, with those of all others between them. */
function listAnswers(attempts: readonly OpenAttempt[]): Answer[] {
  return questions.flatMap((_, turn) =>
    attempts.slice(0, SAVED_IN).flatMap((attempt, index) => {
      const question = questions[(index + turn) % questions.length];
      const answer = question && rightAnswers.get(question.id);
      return question === undefined || answer === undefined ? [] : [{ attempt, question, answer }];
    }),
  );
}

/** Each request finishes another lesson. One at a time, as those of a company take turns. */
function finishing(company: number, attempts: Attempts): Scenario {
  return {
    ...against(SHARE_WITH_WEBHOOK, "v2: finish a lesson, with its webhook", {
      ours: attempts.ours.map(({ id, learner }) => ask(learner, "POST", `/api/v2/attempts/${id}/finish`)),
      bare: attempts.bare.map(({ id }) => toRequest("POST", `/${company}/attempts/${id}/finish`)),
    }),
    connections: 1,
    isSame: false,
    hasWorker: true,
  };
}

function reports({ big }: BenchCompanies): Scenario[] {
  const report = (
    name: string,
    { ours, bare }: { readonly ours: string; readonly bare: string },
  ): Scenario => ({
    name: `v2: report on ${name}`,
    base: { server: "bare", requests: [toRequest("GET", `/${big.id}/reports/${bare}`)] },
    measured: { server: "ours", requests: [get(big, `/api/v2/reports/${ours}`)] },
    bar: { kind: "time", value: REPORT_RATIO, orMs: REPORT_MS },
    connections: 1,
    isSame: true,
  });
  return [
    report("the company", { ours: "company", bare: `company/${big.id}` }),
    report("a lesson", { ours: "lessons/1", bare: "lessons/1" }),
    report("a path", { ours: "paths/1", bare: "paths/1" }),
    report("a group", { ours: "groups/1", bare: "groups/1" }),
    report("a user", { ours: "users/2", bare: "users/2" }),
    {
      ...report("a lesson's questions", { ours: "lessons/1/questions", bare: "questions/1" }),
      isSame: false,
    },
  ];
}

function ask({ token }: Learner, method: string, path: string, body?: object): Buffer {
  return toRequest(method, path, {
    cookie: `__Host-lectern=${token}`,
    ...(body && { body: JSON.stringify(body) }),
  });
}
