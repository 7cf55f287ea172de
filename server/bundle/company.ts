import { updateSettings } from "../companies/settings.ts";
import { kinds } from "../db/counters.ts";
import { Problem } from "../http/problem.ts";
import { isTimeZone } from "../time.ts";
import { checker } from "./check.ts";
import { COMPANY_KEY } from "./parts.ts";
import type { Import } from "./part.ts";
import { CompanyItem } from "./schema.ts";
import { escapeKey, wrong } from "./wrong.ts";

/** Takes over what the bundle says of the company itself. What it leaves out, or gives as null, stays as it is. */
export async function importCompany({ tx, spool, ids }: Import): Promise<void> {
  const { time_zone, last_ids = {}, ...settings } = check(spool.company, `/${COMPANY_KEY}`);
  for (const [name, id] of Object.entries(last_ids)) {
    const kind = kinds.find((known) => known === name);
    if (kind === undefined) {
      throw wrong(`/${COMPANY_KEY}/last_ids/${escapeKey(name)}`, "is no kind of thing that has ids");
    }
    ids.note(kind, id);
  }
  if (time_zone !== undefined) {
    if (!isTimeZone(time_zone))
      throw wrong(`/${COMPANY_KEY}/time_zone`, "must be a time zone, such as Europe/Berlin");
    await tx.sql
      .updateTable("companies")
      .set({ time_zone })
      .where("company_id", "=", tx.company.id)
      .execute();
  }
  await importSettings(tx, settings);
}

const check = checker(CompanyItem);

type Settings = Parameters<typeof updateSettings>[1];

async function importSettings(tx: Import["tx"], given: Settings): Promise<void> {
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
  if (Object.keys(settings).length === 0) return;
  try {
    await updateSettings(tx, settings, { secrets: "sealed by the sweep" });
  } catch (error) {
    const [wrongField] = error instanceof Problem ? error.errors : [];
    if (wrongField === undefined) throw error;
    throw wrong(`/${COMPANY_KEY}/${wrongField.field}`, wrongField.message);
  }
}
