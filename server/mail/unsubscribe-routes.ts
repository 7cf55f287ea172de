import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static } from "typebox";
import type { Tx, WriteTx } from "../db/db.ts";
import type { App } from "../http/app.ts";
import { notFound } from "../http/problem.ts";
import type { Secrets } from "../secrets.ts";
import { getMailPreferences, stopMails } from "./preferences.ts";
import { getCompanyName } from "./tellers/tell-accounts.ts";
import { readUnsubscribeToken, type Unsubscription } from "./unsubscribe.ts";
import { headersOfPage, unsubscribePage, type UnsubscribePage } from "./unsubscribe-page.ts";
import { Unsubscribed, UnsubscribeParams, UnsubscribeQuery } from "./v2-schema.ts";

const url = "/api/v2/companies/:subdomain/unsubscribe";
const tags = ["Mails"];
/** What a mail program sends along is one field. */
const MOST_BODY_BYTES = 16_384;
/** Counted apart from signing in: a provider's machines click for all who have their mailbox there. */
const REQUESTS_PER_MINUTE = 1_200;
const config = { access: "public", answersOther: true, requestsPerMinute: REQUESTS_PER_MINUTE } as const;
const page = { "text/html": { schema: { type: "string" } } } as const;

/** What a mail's List-Unsubscribe names: whoever has the address may end the mails that it is of, signed in or not. */
export function registerUnsubscribe(app: App, { secrets }: { readonly secrets: Secrets }): void {
  app.get(
    url,
    {
      config,
      schema: {
        tags,
        summary: "Show what one click ends",
        params: UnsubscribeParams,
        querystring: UnsubscribeQuery,
        response: {
          200: { description: "A page with one button. Opening it changes nothing.", content: page },
        },
      },
    },
    async (request, reply) => {
      const ended = readToken(request, request.query.token, secrets);
      return sendPage(reply, await request.read((tx) => readPage(tx, ended)));
    },
  );
  app.post(
    url,
    {
      bodyLimit: MOST_BODY_BYTES,
      // RFC 8058, 3.2: a mail program sends its field as multipart/form-data or as a form.
      config: { ...config, takes: ["multipart/form-data"] },
      schema: {
        tags,
        summary: "End mails with one click (RFC 8058)",
        params: UnsubscribeParams,
        querystring: UnsubscribeQuery,
        response: {
          200: {
            description: "They are ended; a second time changes nothing. A browser gets a page.",
            content: { "application/json": { schema: Unsubscribed }, ...page },
          },
        },
      },
    },
    async (request, reply) => {
      const ended = readToken(request, request.query.token, secrets);
      await passOver(request.body);
      const said = await request.write((tx) => endMails(tx, ended));
      if (!wantsPage(request)) return said;
      return sendPage(reply, { ...(await request.read((tx) => readPage(tx, ended))), isDone: true });
    },
  );
}

/** @throws Problem 404 for what was not signed here, whoever it names. */
function readToken({ company }: FastifyRequest, token: string, secrets: Secrets): Unsubscription {
  const read = readUnsubscribeToken(company, token, secrets);
  if (read === undefined || read.categories.length === 0) throw notFound("Link");
  return read;
}

async function endMails(tx: WriteTx, ended: Unsubscription): Promise<Static<typeof Unsubscribed>> {
  await stopMails(tx, ended);
  return { categories: [...ended.categories], wanted: false };
}

/** Reads a body to its end: what it says is known already. */
async function passOver(body: unknown): Promise<void> {
  if (!(body instanceof Readable)) return;
  body.resume();
  await finished(body).catch(() => undefined);
}

function wantsPage({ headers: { accept = "" } }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(accept);
}

/** In the language of whom it is about; of somebody who is gone it says the same, in English. */
async function readPage(tx: Tx, { user_id, categories }: Unsubscription): Promise<UnsubscribePage> {
  const user = await tx.sql
    .selectFrom("users")
    .select("locale")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .executeTakeFirst();
  const wanted = await getMailPreferences(tx, user_id);
  return {
    locale: user?.locale ?? "en",
    company_name: await getCompanyName(tx),
    categories,
    isDone: categories.every((category) => !wanted[category]),
  };
}

function sendPage(reply: FastifyReply, given: UnsubscribePage): FastifyReply {
  const drawn = unsubscribePage(given);
  return reply.headers(headersOfPage(drawn)).send(drawn);
}
