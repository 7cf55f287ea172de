import { randomBytes } from "node:crypto";
import { companyOfId } from "../companies/companies.ts";
import { createCompany, type CreatedCompany, DEFAULT_REQUESTS_PER_MINUTE } from "../companies/create.ts";
import type { Database } from "../db/db.ts";
import { makeDemoAssignments } from "./assignments.ts";
import { demoTags, makeDemoCourses, makeDemoLessons, makeDemoPaths } from "./content.ts";
import { demoFields, demoRoles, makeDemoGroups, makeDemoUsers } from "./people.ts";
import { hashPassword } from "../users/passwords.ts";
import { importBundle } from "../bundle/import.ts";

const ADMIN_EMAIL = "alex.moreira@demo.example";
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Makes a small company that looks lived in, to try things with: forty people in every role, lessons, paths, courses,
 * and assignments in every status as of now. It is the same every time, but for its times.
 * @throws pg.DatabaseError 23505 when the subdomain is taken.
 */
export async function makeDemoCompany(
  database: Database,
  subdomain: string,
  now = new Date(),
): Promise<CreatedCompany> {
  const made = await createCompany(database, {
    subdomain,
    name: "Northwind Trading",
    time_zone: "UTC",
    requests_per_minute: DEFAULT_REQUESTS_PER_MINUTE,
    has_api: true,
    has_learning_library: true,
    // Nobody is told the password: the demo is for the key, which is shown.
    admin: {
      name: "Alex Moreira",
      email: ADMIN_EMAIL,
      password_hash: await hashPassword(randomBytes(24).toString("base64url")),
    },
  });
  const bundle = Buffer.from(JSON.stringify(makeDemoBundle(now)));
  await importBundle(database, companyOfId(made.company.id), inOnePiece(bundle));
  return made;
}

function makeDemoBundle(now: Date) {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString();
  const users = makeDemoUsers(ADMIN_EMAIL, daysAgo);
  return {
    roles: demoRoles,
    custom_user_fields: demoFields,
    users,
    groups: makeDemoGroups(users, daysAgo),
    group_assignments: [
      { id: 1, group_id: 5, assignable_type: "LearningPaths::Path", assignable_id: 2 },
      { id: 2, group_id: 2, assignable_type: "LearningPaths::Path", assignable_id: 3 },
      { id: 3, group_id: 3, assignable_type: "Lesson", assignable_id: 4 },
    ],
    tags: demoTags,
    lessons: makeDemoLessons(daysAgo),
    paths: makeDemoPaths(daysAgo),
    courses: makeDemoCourses(daysAgo),
    assignments: makeDemoAssignments(daysAgo),
  };
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
