import type { App } from "../http/app.ts";
import { listOf } from "../http/cursor.ts";
import { answers, ref } from "../http/schema.ts";
import type { Secrets } from "../secrets.ts";
import { requirePerson } from "../sessions/v2-answer.ts";
import { listMails, sendAgain } from "./mails.ts";
import { changeMailPreferences, getMailPreferences } from "./preferences.ts";
import { registerUnsubscribe } from "./unsubscribe-routes.ts";
import { Mail, MailParams, MailPreferences, MailPreferencesUpdate, MailQuery } from "./v2-schema.ts";

const tags = ["Mails"];

/** /api/v2/mails, /api/v2/me/mail_preferences, and what ends mails with one click. */
export function registerMails(app: App, ground: { readonly secrets: Secrets }): void {
  registerList(app);
  registerPreferences(app);
  registerUnsubscribe(app, ground);
}

function registerList(app: App): void {
  const config = { access: "mails.write" } as const;
  app.get(
    "/api/v2/mails",
    {
      config,
      schema: {
        tags,
        summary: "List what people were mailed, the newest first",
        querystring: MailQuery,
        response: answers(200, listOf(ref(Mail))),
      },
    },
    (request) => request.read((tx) => listMails(tx, request.query)),
  );
  app.post(
    "/api/v2/mails/:mail_id/send_again",
    {
      config,
      schema: {
        tags,
        summary: "Send a mail again that failed, or may have",
        params: MailParams,
        response: answers(200, ref(Mail)),
      },
    },
    (request) => request.write((tx) => sendAgain(tx, request.params.mail_id)),
  );
}

function registerPreferences(app: App): void {
  const config = { access: "authenticated" } as const;
  const response = answers(200, ref(MailPreferences));
  app.get(
    "/api/v2/me/mail_preferences",
    { config, schema: { tags, summary: "Show which mails one wants", response } },
    (request) => {
      const { user_id } = requirePerson(request);
      return request.read((tx) => getMailPreferences(tx, user_id));
    },
  );
  app.patch(
    "/api/v2/me/mail_preferences",
    {
      config,
      schema: { tags, summary: "Choose which mails one wants", body: MailPreferencesUpdate, response },
    },
    (request) => {
      const { user_id } = requirePerson(request);
      return request.write((tx) => changeMailPreferences(tx, user_id, request.body));
    },
  );
}
