import type { TSchema } from "typebox";
import { ContentChange } from "./diff.ts";
import { learnerComponents } from "./learner-schema.ts";
import { documentComponents } from "./schema.ts";

/** The schemas of lessons' content that stand in the API's document by name, those that others refer to first. */
export const contentComponents: readonly TSchema[] = [
  ...documentComponents,
  ...learnerComponents,
  ContentChange,
];
