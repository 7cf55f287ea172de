import type { App } from "../http/app.ts";
import { listOf } from "../http/cursor.ts";
import { answers, ref } from "../http/schema.ts";
import type { Secrets } from "../secrets.ts";
import { endKey, listKeys, makeKey } from "./keys.ts";
import { changeSettings, getSettings, type SettingsGround } from "./settings.ts";
import {
  ApiKeyItem,
  ApiKeyQuery,
  CompanySettings,
  CompanySettingsUpdate,
  KeyParams,
  MadeApiKey,
  NewApiKey,
  RevokedApiKey,
} from "./v2-schema.ts";

/** /api/v2/api_keys and /api/v2/settings */
export function registerCompaniesV2(app: App, ground: SettingsGround & { readonly secrets: Secrets }): void {
  registerKeys(app);
  registerSettings(app, ground);
}

function registerKeys(app: App): void {
  const tags = ["API keys"];
  app.get(
    "/api/v2/api_keys",
    {
      config: { access: "api_keys.write" },
      schema: {
        tags,
        summary: "List API keys",
        querystring: ApiKeyQuery,
        response: answers(200, listOf(ref(ApiKeyItem))),
      },
    },
    (request) => request.read((tx) => listKeys(tx, request.query)),
  );
  app.post(
    "/api/v2/api_keys",
    {
      config: { access: "api_keys.write" },
      schema: { tags, summary: "Make an API key", body: NewApiKey, response: answers(201, ref(MadeApiKey)) },
    },
    async (request, reply) => {
      const made = await request.write((tx) => makeKey(tx, request.body));
      return reply.code(201).send(made);
    },
  );
  app.delete(
    "/api/v2/api_keys/:api_key_id",
    {
      config: { access: "api_keys.write" },
      schema: {
        tags,
        summary: "Revoke an API key",
        params: KeyParams,
        response: answers(200, RevokedApiKey),
      },
    },
    (request) => request.write((tx) => endKey(tx, request.params.api_key_id)),
  );
}

function registerSettings(app: App, ground: SettingsGround & { readonly secrets: Secrets }): void {
  const tags = ["Company settings"];
  const response = answers(200, ref(CompanySettings));
  app.get(
    "/api/v2/settings",
    {
      config: { access: "settings.write", editable: true },
      schema: { tags, summary: "Show the company's settings", response },
    },
    (request) => request.read((tx) => getSettings(tx, ground.secrets)),
  );
  app.patch(
    "/api/v2/settings",
    {
      config: { access: "settings.write", editable: true },
      schema: { tags, summary: "Change the company's settings", body: CompanySettingsUpdate, response },
    },
    (request) => request.write((tx) => changeSettings(tx, request.body, ground)),
  );
}
