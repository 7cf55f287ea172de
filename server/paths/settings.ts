import type { Tx } from "../db/db.ts";
import { type FieldError, invalid } from "../http/problem.ts";
import { checkTags } from "../lessons/drafts.ts";
import type { Language } from "../search/languages.ts";

/** What is set of a path, beside its steps. */
export interface PathSettings {
  readonly title: string;
  readonly description: string;
  readonly language: Language;
  readonly enforced_order: boolean;
  readonly public: boolean;
  readonly is_certification: boolean;
  readonly valid_months: number | null;
  readonly valid_until_day: string | null;
  readonly renewal_days: number;
  readonly counts_elsewhere: boolean;
  readonly tag_ids: readonly number[];
}

/** The keys of a path's settings, in the order in which answers show them. */
export const settingKeys = [
  "title",
  "description",
  "language",
  "enforced_order",
  "public",
  "is_certification",
  "valid_months",
  "valid_until_day",
  "renewal_days",
  "counts_elsewhere",
  "tag_ids",
] as const;

/** Settings with their keys in this order and no others: jsonb keeps no order, and an ETag is of the text. */
export function inOrder(given: PathSettings): PathSettings {
  const { title, description, language, enforced_order, is_certification, valid_months } = given;
  const { valid_until_day, renewal_days, counts_elsewhere, tag_ids } = given;
  return {
    title,
    description,
    language,
    enforced_order,
    public: given.public,
    is_certification,
    valid_months,
    valid_until_day,
    renewal_days,
    counts_elsewhere,
    tag_ids,
  };
}

/** How long before the end of a certificate its renewal opens, where the author says nothing. */
export const DEFAULT_RENEWAL_DAYS = 30;

/** What a path begins as. */
export function beginSettings(title: string): PathSettings {
  return {
    title,
    description: "",
    language: "en",
    enforced_order: false,
    public: false,
    is_certification: false,
    valid_months: null,
    valid_until_day: null,
    renewal_days: DEFAULT_RENEWAL_DAYS,
    counts_elsewhere: true,
    tag_ids: [],
  };
}

/**
 * Puts what a body gives over settings, and makes sure that they go together.
 * @throws Problem 422
 */
export async function checkSettings(
  tx: Tx,
  settings: PathSettings,
  given: Partial<PathSettings>,
): Promise<PathSettings> {
  const next = { ...settings, ...given };
  const title = next.title.trim();
  const tag_ids = [...new Set(next.tag_ids)].toSorted((a, b) => a - b);
  const errors = findFaults(next);
  if (errors.length > 0) throw invalid(...errors);
  if (given.tag_ids !== undefined) await checkTags(tx, given.tag_ids);
  return inOrder({ ...next, title, tag_ids });
}

/** The shortest month. */
const DAYS_OF_A_MONTH = 28;

function findFaults({ valid_months, valid_until_day, renewal_days }: PathSettings): FieldError[] {
  const errors: FieldError[] = [];
  if (valid_months !== null && valid_until_day !== null) {
    const message = "can't stand beside valid_months: make one of the two null";
    errors.push({ field: "valid_until_day", message });
  }
  // 2024 has a 29 February.
  if (valid_until_day !== null && !isDayOf(`2024-${valid_until_day}`)) {
    errors.push({ field: "valid_until_day", message: "is no day of any year" });
  }
  if (valid_months !== null && renewal_days >= valid_months * DAYS_OF_A_MONTH) {
    const message = "is as long as a certificate is valid: renewing would never end";
    errors.push({ field: "renewal_days", message });
  }
  return errors;
}

function isDayOf(date: string): boolean {
  const day = new Date(date);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}
