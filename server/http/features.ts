import type { TSchema } from "typebox";
import { registerCompanySettings } from "../companies/routes.ts";
import { registerUsers } from "../users/routes.ts";
import { CustomUserFieldData, ListedUser, User, UserSummary } from "../users/schema.ts";
import type { App } from "./app.ts";
import { ErrorBody } from "./problem.ts";

/** The schemas that stand in the document by name, those that others refer to first. */
export const components: readonly TSchema[] = [ErrorBody, CustomUserFieldData, User, UserSummary, ListedUser];

/** Every feature of the API, by name and in the order of the document. */
export function registerFeatures(app: App): void {
  registerUsers(app);
  registerCompanySettings(app);
}
