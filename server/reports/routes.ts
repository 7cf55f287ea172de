import { Type } from "typebox";
import { sendExport } from "../exports/send.ts";
import { exportAnswer } from "../exports/schema.ts";
import type { App, AppOptions } from "../http/app.ts";
import { readCursorPage } from "../http/cursor.ts";
import { answers, closed, Id, ref } from "../http/schema.ts";
import {
  listContentReports,
  ownsOnly,
  readContent,
  report,
  reportOnContent,
  type Reported,
} from "./content.ts";
import {
  listGroupReports,
  listUserReports,
  readUsers,
  reportOf,
  reportOnCompany,
  reportOnGroup,
  reportOnUser,
} from "./people.ts";
import { reportOnQuestions } from "./questions.ts";
import {
  CompanyReport,
  ContentReport,
  ContentReportList,
  PeopleReport,
  PeopleReportList,
  QuestionQuery,
  QuestionReports,
  ReportExportQuery,
  ReportListQuery,
  ReportQuery,
  type ReportSummary,
} from "./schema.ts";

const tags = ["Reports"];
const config = { access: "reports.read" } as const;

/** /api/v2/reports */
export function registerReports(app: App, options: Pick<AppOptions, "database">): void {
  app.get(
    "/api/v2/reports/company",
    {
      config,
      schema: {
        tags,
        summary: "Report on the company",
        querystring: ReportQuery,
        response: answers(200, ref(CompanyReport)),
      },
    },
    (request) => request.read((tx) => reportOnCompany(tx, toPeople(request.query))),
  );
  registerContent(app, options, { table: "lessons", param: "lesson_id", noun: "lesson" });
  registerContent(app, options, { table: "paths", param: "path_id", noun: "path" });
  registerQuestions(app);
  registerUserReports(app, options);
  registerGroupReports(app);
}

interface ContentKind {
  readonly table: Reported;
  readonly param: "lesson_id" | "path_id";
  readonly noun: string;
}

function registerContent(app: App, { database }: Pick<AppOptions, "database">, kind: ContentKind): void {
  const { table } = kind;
  const url = `/api/v2/reports/${table}`;
  app.get(
    url,
    {
      config,
      schema: {
        tags,
        summary: `List the reports on ${table}`,
        querystring: ReportListQuery,
        response: answers(200, ContentReportList),
      },
    },
    (request) =>
      request.read((tx) =>
        listContentReports(tx, { table, page: readCursorPage(request.query) }, toPeople(request.query)),
      ),
  );
  app.get(
    `${url}/export`,
    {
      config: { ...config, answersOther: true },
      schema: {
        tags,
        summary: `Export the reports on ${table}`,
        querystring: ReportExportQuery,
        response: exportAnswer,
      },
    },
    (request, reply) => {
      sendExport({ request, reply }, database, {
        name: table,
        columns: ["id", "title", ...summaryColumns],
        query: request.query,
        exported: {
          read: async (tx, after: number | undefined, limit) => {
            const people = { ...toPeople(request.query), ofAll: ownsOnly(tx) };
            const things = await readContent(tx, { table, after, limit });
            return Promise.all(things.map((thing) => report(tx, { table, thing }, people)));
          },
          position: ({ id }) => id,
          show: ({ id, title, summary }) => ({ id, title, ...summary }),
        },
      });
    },
  );
  registerOneContent(app, kind);
}

function registerOneContent(app: App, { table, param, noun }: ContentKind): void {
  const params = Type.Object({ [param]: Id });
  app.get(
    `/api/v2/reports/${table}/:${param}`,
    {
      config,
      schema: {
        tags,
        summary: `Report on a ${noun}`,
        params,
        querystring: ReportQuery,
        response: answers(200, ref(ContentReport)),
      },
    },
    (request) => {
      const id = Number(request.params[param]);
      return request.read((tx) => reportOnContent(tx, { table, id }, toPeople(request.query)));
    },
  );
}

function registerQuestions(app: App): void {
  app.get(
    "/api/v2/reports/lessons/:lesson_id/questions",
    {
      config,
      schema: {
        tags,
        summary: "Report on the answers to each question of a lesson",
        params: closed({ lesson_id: Id }),
        querystring: QuestionQuery,
        response: answers(200, ref(QuestionReports)),
      },
    },
    (request) => {
      const { lesson_id } = request.params;
      const { version } = request.query;
      return request.read((tx) => reportOnQuestions(tx, { lesson_id, version }, toPeople(request.query)));
    },
  );
}

function registerUserReports(app: App, { database }: Pick<AppOptions, "database">): void {
  app.get(
    "/api/v2/reports/users",
    {
      config,
      schema: {
        tags,
        summary: "List the reports on users",
        querystring: ReportListQuery,
        response: answers(200, PeopleReportList),
      },
    },
    (request) =>
      request.read((tx) => listUserReports(tx, readCursorPage(request.query), toPeople(request.query))),
  );
  app.get(
    "/api/v2/reports/users/export",
    {
      config: { ...config, answersOther: true },
      schema: {
        tags,
        summary: "Export the reports on users",
        querystring: ReportExportQuery,
        response: exportAnswer,
      },
    },
    (request, reply) => {
      sendExport({ request, reply }, database, {
        name: "users",
        columns: ["id", "name", ...summaryColumns],
        query: request.query,
        exported: {
          read: async (tx, after: number | undefined, limit) => {
            const users = await readUsers(tx, { after, limit, group_id: request.query["filter[group_id]"] });
            return Promise.all(users.map((user) => reportOf(tx, user)));
          },
          position: ({ id }) => id,
          show: ({ id, name, summary }) => ({ id, name, ...summary }),
        },
      });
    },
  );
  app.get(
    "/api/v2/reports/users/:user_id",
    {
      config,
      schema: {
        tags,
        summary: "Report on a user",
        params: closed({ user_id: Id }),
        response: answers(200, ref(PeopleReport)),
      },
    },
    (request) => request.read((tx) => reportOnUser(tx, request.params.user_id)),
  );
}

function registerGroupReports(app: App): void {
  app.get(
    "/api/v2/reports/groups",
    {
      config,
      schema: {
        tags,
        summary: "List the reports on groups",
        querystring: ReportListQuery,
        response: answers(200, PeopleReportList),
      },
    },
    (request) => request.read((tx) => listGroupReports(tx, readCursorPage(request.query))),
  );
  app.get(
    "/api/v2/reports/groups/:group_id",
    {
      config,
      schema: {
        tags,
        summary: "Report on a group",
        params: closed({ group_id: Id }),
        response: answers(200, ref(PeopleReport)),
      },
    },
    (request) => request.read((tx) => reportOnGroup(tx, request.params.group_id)),
  );
}

const summaryColumns = [
  "assigned",
  "not_started",
  "in_progress",
  "grade_pending",
  "completed",
  "overdue",
  "average_score",
  "average_seconds",
] as const satisfies readonly (keyof ReportSummary)[];

function toPeople(query: { readonly "filter[group_id]"?: number }) {
  return { group_id: query["filter[group_id]"] };
}
