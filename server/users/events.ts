import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import type { Followed } from "../events/changes.ts";
import { listCustomData } from "./custom-fields.ts";
import { emailOfNobody, NAME_OF_NOBODY } from "./nobody.ts";
import { builtInRoles } from "./roles.ts";
import { type ProfileRow, selectProfiles, toProfile } from "./show.ts";

/** Users as events tell of them: with their custom fields, without their groups, of which `membership.*` tells. */
export const userEvents: Followed = {
  name: "user",
  async read(tx, ids) {
    const [rows, custom] = await Promise.all([
      selectProfilesOf(tx, { company_id: tx.company.id, ids }),
      listCustomData(tx, ids),
    ]);
    return new Map(
      rows.map((row) => [row.id, { ...toProfile(row), custom_user_fields: custom.get(row.id) ?? [] }]),
    );
  },
  userOf: ({ id }) => (typeof id === "number" ? id : null),
};

const selectProfilesOf = prepare<{ company_id: number; ids: readonly number[] }, ProfileRow>((db, place) =>
  selectProfiles({ sql: db, company: { id: place("company_id") } })
    .where("users.id", "=", sql<number>`any(${place("ids")}::bigint[])`)
    .orderBy("users.id"),
);

/** Whether a new user is mailed that they have an account: as asked, and otherwise all but learners. */
export function isToldOfAccount({
  role_id,
  notify,
}: {
  readonly role_id: number;
  readonly notify?: boolean | undefined;
}): boolean {
  return notify ?? role_id !== LEARNER_ROLE_ID;
}

const LEARNER_ROLE_ID = builtInRoles[0].id;

/** Tells that the person was taken out of a user. What they were before is not told again. */
export async function noteAnonymized(tx: WriteTx, user_id: number): Promise<void> {
  const data = (await userEvents.read(tx, [user_id])).get(user_id);
  if (data === undefined) throw new Error(`user ${user_id} is gone`);
  tx.changes.add({ type: "user.anonymized", resource_id: user_id, user_id, data, notify: false });
}

/**
 * Blanks what events hold of a person: their profile, and their name in what they completed and earned. What was done
 * when stays, by ids alone. It is called under the counters by which such events are made, so none is missed.
 */
export async function blankEvents(tx: WriteTx, user_id: number): Promise<void> {
  const [name, email] = [NAME_OF_NOBODY, emailOfNobody(user_id)];
  const nobody = { ext_uid: null, id: user_id, name, email, custom_fields: {} };
  await blank(tx, {
    company_id: tx.company.id,
    user_id,
    profile: JSON.stringify({ id: user_id, erased: true }),
    completion: JSON.stringify({ user: nobody, erased: true }),
    certificate: JSON.stringify({ user_name: name, erased: true }),
  });
}

// Which events are meant is written as events_of_person_idx has it, so that only those are read.
const blank = prepare<
  { company_id: number; user_id: number; profile: string; completion: string; certificate: string },
  object
>(
  (_db, place) => sql`
    update events
    set previous = null, data = case
      when type like 'user.%' then ${place("profile")}::text
      when type = 'lesson.completed' then (data::jsonb || ${place("completion")}::jsonb)::text
      else (data::jsonb || ${place("certificate")}::jsonb)::text
    end
    where company_id = ${place("company_id")} and user_id = ${place("user_id")}
      and (type like 'user.%' or type like 'certificate.%' or type = 'lesson.completed')
      and type not like '%.deleted'`,
);
