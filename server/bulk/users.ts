import { auditAll } from "../db/audit.ts";
import type { WriteTx } from "../db/db.ts";
import { follow, followNew } from "../events/changes.ts";
import { refillGroups, type UserWrite } from "../groups/refill.ts";
import type { FieldError } from "../http/problem.ts";
import { isToldOfAccount, userEvents } from "../users/events.ts";
import { reachesEverybody } from "../users/visible.ts";
import { voidTokens } from "../sessions/end.ts";
import { toEmailKey } from "../users/users.ts";
import { CustomFields } from "./custom-fields.ts";
import { type Columns, columnNames, newColumns, type Person, readPeople } from "./persons.ts";
import { type GivenRow, isRow, type Outcome, refuse, type UserRow } from "./rows.ts";
import { Roles } from "./roles.ts";
import { savePeople } from "./save-people.ts";

/**
 * Makes and changes users as rows say, with a fixed number of statements. A row sees what those before it have done.
 * Needs the counters of users, custom fields and sign-in links locked, by lockForUsers.
 */
export async function applyUserRows(
  tx: WriteTx,
  rows: readonly GivenRow[],
  write: UserWrite,
): Promise<Outcome[]> {
  const read = rows.flatMap(({ given, errors }) =>
    errors.length === 0 && isRow.users(given) ? [given] : [],
  );
  const people = await readPeople(tx, read);
  const batch = new Batch(tx, write, {
    people,
    roles: await Roles.read(tx),
    fields: await CustomFields.read(tx, write.at, { people: people.all, rows: read }),
  });
  for (const { row, given, errors } of rows) {
    if (errors.length > 0 || !isRow.users(given)) batch.note(row, errors);
    else await batch.apply(row, given);
  }
  return batch.finish();
}

interface Known {
  readonly people: Awaited<ReturnType<typeof readPeople>>;
  readonly roles: Roles;
  readonly fields: CustomFields;
}

/** The rows of one step, decided one after the other and written together. */
class Batch {
  readonly #tx: WriteTx;
  readonly #write: UserWrite;
  readonly #known: Known;
  readonly #outcomes: (() => Outcome)[] = [];
  readonly #changed = new Set<Person>();
  readonly #saved = new Set<Person>();
  /** E-mails and ext_uids that changed rows have given up, and that the database still holds. */
  readonly #freed = new Set<string>();

  constructor(tx: WriteTx, write: UserWrite, known: Known) {
    this.#tx = tx;
    this.#write = write;
    this.#known = known;
  }

  note(row: number, errors: readonly FieldError[]): void {
    this.#outcomes.push(() => refuse(row, ...errors));
  }

  async apply(row: number, given: UserRow): Promise<void> {
    const found = this.#find(given);
    const { role_id, errors } = await this.#known.roles.choose(given, found?.columns.role_id);
    const columns = this.#read(given, found, role_id);
    const custom = this.#known.fields.readItems(given);
    errors.push(...custom.errors, ...this.#findFaults(given, found), ...this.#findClashes(columns, found));
    if (found === undefined && columns.role_id === 0) {
      errors.push({ field: "role_id", message: "is required, or role" });
    }
    const isChanged =
      found === undefined || differs(columns, found) || this.#known.fields.differ(found, custom);
    if (errors.length === 0 && found?.archived_at != null && isChanged) {
      errors.push({ field: "row", message: "names an archived user: restore them first" });
    }
    if (errors.length > 0) return this.note(row, errors);
    if (!isChanged) return this.#say(row, "unchanged", found);
    await this.#flushBefore(columns);
    const person = found ?? this.#known.people.add(columns);
    if (found !== undefined) this.#change(found, columns);
    await this.#known.fields.set(person, custom);
    this.#changed.add(person);
    this.#say(row, found === undefined ? "created" : "updated", person);
  }

  /** Writes what is decided, and moves the people in and out of groups. */
  async finish(): Promise<Outcome[]> {
    await this.#flush();
    await refillGroups(
      this.#tx,
      this.#write,
      [...this.#saved].map(({ id }) => id),
    );
    return this.#outcomes.map((tell) => tell());
  }

  #say(row: number, outcome: Outcome["outcome"], person: Person): void {
    // A new person has an id only once they are written.
    this.#outcomes.push(() => ({ row, outcome, id: person.id, errors: [] }));
  }

  #find({ ext_uid, email }: UserRow): Person | undefined {
    const { byExtUid, byEmail } = this.#known.people;
    const byExt = ext_uid == null ? undefined : byExtUid.get(ext_uid);
    return byExt ?? (email === undefined ? undefined : byEmail.get(toEmailKey(email)));
  }

  #read(given: UserRow, found: Person | undefined, role_id: number | undefined): Columns {
    const columns = { ...(found?.columns ?? newColumns) };
    for (const column of columnNames) {
      if (column in given && column !== "role_id") Object.assign(columns, { [column]: given[column] });
    }
    return role_id === undefined ? columns : { ...columns, role_id };
  }

  #findFaults(given: UserRow, found: Person | undefined): FieldError[] {
    if (found !== undefined) {
      return found.isVisible ? [] : [{ field: "row", message: "names a user whom you may not change" }];
    }
    if (!reachesEverybody(this.#tx.viewer, "users.write")) {
      return [{ field: "row", message: "names nobody whom you may change, and you may not make new users" }];
    }
    return (["name", "email"] as const)
      .filter((field) => given[field] === undefined)
      .map((field) => ({ field, message: "is required for a new user" }));
  }

  #findClashes({ email, ext_uid }: Columns, found: Person | undefined): FieldError[] {
    const { byEmail, byExtUid } = this.#known.people;
    const errors: FieldError[] = [];
    const holder = byEmail.get(toEmailKey(email));
    if (holder !== undefined && holder !== found) {
      errors.push({ field: "email", message: "is taken by another user" });
    }
    const owner = ext_uid === null ? undefined : byExtUid.get(ext_uid);
    if (owner !== undefined && owner !== found) {
      errors.push({ field: "ext_uid", message: "is taken by another user" });
    }
    return errors;
  }

  #change(person: Person, columns: Columns): void {
    const { email, ext_uid } = person.columns;
    if (toEmailKey(columns.email) !== toEmailKey(email)) this.#freed.add(`email ${toEmailKey(email)}`);
    if (ext_uid !== null && columns.ext_uid !== ext_uid) this.#freed.add(`ext_uid ${ext_uid}`);
    this.#known.people.change(person, columns);
  }

  /** What somebody has just given up can be taken once that is written: PostgreSQL checks row by row. */
  async #flushBefore({ email, ext_uid }: Columns): Promise<void> {
    if (this.#freed.has(`email ${toEmailKey(email)}`) || this.#freed.has(`ext_uid ${ext_uid}`))
      await this.#flush();
  }

  async #flush(): Promise<void> {
    const changed = [...this.#changed];
    if (changed.length === 0) return;
    const { at } = this.#write;
    const former = changed.filter(({ before }) => before !== null);
    await follow(
      this.#tx,
      userEvents,
      former.map(({ id }) => id),
    );
    await savePeople(this.#tx, changed, at);
    await voidTokens(
      this.#tx,
      former.filter(({ before, columns }) => toKey(before) !== toKey(columns)).map(({ id }) => id),
    );
    this.#followNew(changed.filter(({ before }) => before === null));
    await this.#known.fields.save(changed);
    await auditAll(
      this.#tx,
      changed.map(({ id, before, columns }) => ({
        action: before === null ? "create_user" : "update_user",
        resource_type: "user",
        resource_id: id,
        before,
        after: columns,
        at,
      })),
    );
    for (const person of changed) {
      person.before = person.columns;
      this.#saved.add(person);
    }
    this.#changed.clear();
    this.#freed.clear();
  }

  #followNew(people: readonly Person[]): void {
    const quiet = people.filter(({ columns }) => !isToldOfAccount(columns));
    const [ids, silent] = [people, quiet].map((some) => some.map(({ id }) => id));
    followNew(this.#tx, userEvents, { ids: ids ?? [], silent: silent ?? [] });
  }
}

function toKey(columns: Columns | null): string {
  return toEmailKey(columns?.email ?? "");
}

function differs(columns: Columns, { columns: held }: Person): boolean {
  return columnNames.some((column) => columns[column] !== held[column]);
}
