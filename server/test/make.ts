import { sql } from "kysely";
import { commandActor } from "../companies/create.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { Database, WriteTx } from "../db/db.ts";
import type { Client } from "./server.ts";

/** What version 1 can't make: lessons, paths, courses, tags and group assignments, made as their features would. */
export class Maker {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async lesson(client: Pick<Client, "company">, given: Partial<Lesson> = {}): Promise<number> {
    return this.#make(client, "lessons", async (tx, id, created_at) => {
      const lesson = { title: `Lesson ${id}`, retake_score: 80, public: false, created_at, ...given };
      await addAssignable(tx, "Lesson", id);
      await tx.sql
        .insertInto("lessons")
        .values({ company_id: tx.company.id, id, ...lesson })
        .execute();
    });
  }

  async path(client: Client, { contents = [], ...given }: Partial<Path> = {}): Promise<number> {
    return this.#make(client, "paths", async (tx, id, created_at) => {
      const path = {
        title: `Path ${id}`,
        description: "",
        enforced_order: false,
        public: false,
        is_certification: false,
        created_at,
        ...given,
      };
      await addAssignable(tx, "LearningPaths::Path", id);
      await tx.sql
        .insertInto("paths")
        .values({ company_id: tx.company.id, id, ...path })
        .execute();
      for (const [position, item] of contents.entries()) {
        await tx.sql
          .insertInto("path_items")
          .values({ company_id: tx.company.id, path_id: id, position, ...item })
          .execute();
      }
    });
  }

  async course(client: Client, { lessons = [], ...given }: Partial<Course> = {}): Promise<number> {
    return this.#make(client, "courses", async (tx, id, created_at) => {
      const course = { title: `Course ${id}`, public: false, created_at, ...given };
      await addAssignable(tx, "Course", id);
      await tx.sql
        .insertInto("courses")
        .values({ company_id: tx.company.id, id, ...course })
        .execute();
      for (const [position, lesson_id] of lessons.entries()) {
        await tx.sql
          .insertInto("course_lessons")
          .values({ company_id: tx.company.id, course_id: id, position, lesson_id })
          .execute();
      }
    });
  }

  async tag(client: Client, name: string, on: readonly Assignable[] = []): Promise<number> {
    return this.#make(client, "tags", async (tx, id) => {
      await tx.sql.insertInto("tags").values({ company_id: tx.company.id, id, name }).execute();
      for (const { type, id: taggable_id } of on) {
        await tx.sql
          .insertInto("taggings")
          .values({ company_id: tx.company.id, tag_id: id, taggable_type: type, taggable_id })
          .execute();
      }
    });
  }

  /** Notes that a group is assigned something, without giving it to the members of now. */
  async groupAssignment(client: Client, group_id: number, on: Assignable): Promise<number> {
    return this.#make(client, "group_assignments", async (tx, id) => {
      await tx.sql
        .insertInto("group_assignments")
        .values({ company_id: tx.company.id, id, group_id, assignable_type: on.type, assignable_id: on.id })
        .execute();
    });
  }

  /** Runs any statements as the service would, for states that nothing makes yet. */
  async write<T>(client: Pick<Client, "company">, run: (tx: WriteTx) => Promise<T>): Promise<T> {
    return this.#database.write(client.company, commandActor, run);
  }

  async #make(
    client: Pick<Client, "company">,
    kind: "lessons" | "paths" | "courses" | "tags" | "group_assignments",
    insert: (tx: WriteTx, id: number, at: string) => Promise<void>,
  ): Promise<number> {
    return this.write(client, async (tx) => {
      const at = await lockCounters(tx, kind);
      const id = await moveCounter(tx, { kind, ids: 1, total: 1, at });
      await insert(tx, id, at);
      return id;
    });
  }
}

type AssignableType = "Lesson" | "LearningPaths::Path" | "Course";

export interface Assignable {
  readonly type: AssignableType;
  readonly id: number;
}

interface Lesson {
  title: string;
  description: string | null;
  retake_score: number;
  public: boolean;
  archived_at: string;
  archived_by_user_id: number;
  created_at: string;
  last_updated_at: string;
}

interface Path {
  title: string;
  description: string;
  enforced_order: boolean;
  public: boolean;
  is_certification: boolean;
  counts_elsewhere: boolean;
  valid_months: number;
  valid_until_day: string;
  renewal_days: number;
  published_version: number;
  archived_at: string;
  archived_by_user_id: number;
  created_at: string;
  last_updated_at: string;
  published_at: string;
  publisher_id: number;
  contents: PathItem[];
}

type PathItem =
  | { resource_type: "lesson"; lesson_id: number }
  | { resource_type: "path"; nested_path_id: number }
  | {
      resource_type: "wait_step";
      item_id: number;
      effect: string;
      condition: string;
      unit: string;
      amount: number;
      wait_until?: string;
    }
  | { resource_type: "placeholder"; item_id: number; description: string };

interface Course {
  title: string;
  description: string | null;
  owner_id: number;
  public: boolean;
  archived_at: string;
  archived_by_user_id: number;
  created_at: string;
  last_updated_at: string;
  lessons: number[];
}

async function addAssignable(
  tx: WriteTx,
  assignable_type: AssignableType,
  assignable_id: number,
): Promise<void> {
  await sql`
    insert into assignables
      (company_id, assignable_type, assignable_id, assignees_count, completed_count, total_completions, via_assignment)
    values (${tx.company.id}, ${assignable_type}, ${assignable_id}, 0, 0, 0, 0)`.execute(tx.sql);
}
