import type { App } from "../http/app.ts";
import { answers } from "../http/schema.ts";
import { Settings, SettingsUpdate } from "./schema.ts";
import { type SettingsGround, updateSettings } from "./settings.ts";

/** /api/v1/company_settings */
export function registerCompanySettings(app: App, ground: SettingsGround): void {
  app.put(
    "/api/v1/company_settings",
    {
      config: { access: "settings.write" },
      schema: {
        tags: ["Company settings"],
        summary: "Set the webhook of completed lessons",
        body: SettingsUpdate,
        response: answers(200, Settings),
      },
    },
    (request) => request.write((tx) => updateSettings(tx, request.body, ground)),
  );
}
