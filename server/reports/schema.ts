import { Type, type Static } from "typebox";
import { ExportQuery } from "../exports/schema.ts";
import { CursorQuery, listOf } from "../http/cursor.ts";
import { closed, component, Id, nullable, ref } from "../http/schema.ts";

const count = (description: string) => Type.Integer({ description });

/** What became of assignments. */
export const ReportSummary = component(
  "ReportSummary",
  closed({
    assigned: count("Assignments in all."),
    not_started: count("Those that nobody has begun."),
    in_progress: count("Those that are begun and not finished."),
    grade_pending: count("Those that wait for a grader."),
    completed: count("Those that are completed."),
    overdue: count("Those of the not started and in progress whose due date is past."),
    average_score: nullable(
      Type.Number({ description: "The mean of the scores of what is completed, in per cent, to a tenth." }),
    ),
    average_seconds: nullable(
      Type.Integer({
        description: "The mean time spent in a finished attempt, in seconds, idle time left out.",
      }),
    ),
  }),
);
export type ReportSummary = Static<typeof ReportSummary>;

/** How many scores lie in each tenth: 0-9, 10-19, … 90-100. */
const score_distribution = Type.Array(Type.Integer(), {
  minItems: 10,
  maxItems: 10,
  description: "How many scores of what is completed lie in 0-9, 10-19, … and 90-100 per cent.",
});

const summary = ref(ReportSummary);
const title = Type.String();
const name = Type.String();

/** What became of one lesson, path or course. */
export const ContentReport = component(
  "ContentReport",
  closed({ id: Id, title, summary, score_distribution }),
);
/** What became of what the members of a group, or one user, are assigned. */
export const PeopleReport = component("PeopleReport", closed({ id: Id, name, summary }));
export const CompanyReport = component("CompanyReport", closed({ summary }));

/** One way to answer a question, and how many have. */
const AnswerCount = closed({
  key: Type.String({ description: "Names the choice, pair or text." }),
  label: Type.String(),
  correct: nullable(
    Type.Boolean({ description: "Whether it is right; null where nothing is right or wrong." }),
  ),
  answers: count("Finished attempts that gave it."),
});

/** How one question was answered. */
export const QuestionReport = component(
  "QuestionReport",
  closed({
    id: Type.String(),
    type: Type.String(),
    prompt: Type.String(),
    answered: count("Finished attempts that answered it."),
    average_points: nullable(
      Type.Number({ description: "The mean of what was earned of it, in per cent, to a tenth." }),
    ),
    answers: Type.Array(AnswerCount),
  }),
);
export const QuestionReports = component(
  "QuestionReports",
  closed({
    lesson_id: Id,
    version: Type.Integer(),
    attempts: count("Finished attempts at this version."),
    questions: Type.Array(ref(QuestionReport)),
  }),
);

export const ContentReportList = listOf(ref(ContentReport));
export const PeopleReportList = listOf(ref(PeopleReport));

const groupFilter = {
  "filter[group_id]": Type.Optional({ ...Id, description: "Members of this group alone." }),
};
export const ReportQuery = closed(groupFilter);
export const ReportListQuery = closed({ ...CursorQuery, ...groupFilter });
export const ReportExportQuery = closed({ ...ExportQuery, ...groupFilter });
export const QuestionQuery = closed({
  ...groupFilter,
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: "The version; the published one by default." }),
  ),
});
