import { createCompany, type CreatedCompany } from "../companies/create.ts";
import type { Database } from "../db/db.ts";
export async function makeDemo(database: Database, subdomain: string): Promise<CreatedCompany> {
  return createCompany(database, { subdomain, name: "Demo", time_zone: "UTC", requests_per_minute: 500, has_api: true, has_learning_library: true, admin: { name: "Ada", email: "a@example.com", password: "password1" } });
}
