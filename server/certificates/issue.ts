import { randomBytes } from "node:crypto";
import type { StoredAssignment } from "../assignments/assignments.ts";
import { audit } from "../db/audit.ts";
import { moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { followNew } from "../events/changes.ts";
import { certificateEvents } from "./events.ts";
import { findExpiry } from "./validity.ts";

/**
 * Issues a certificate for each of these assignments whose path is a certification. They have just been completed. Needs
 * the counter of certificates locked.
 */
export async function issueCertificates(
  tx: WriteTx,
  completed: readonly StoredAssignment[],
  at: string,
): Promise<void> {
  const ofPaths = completed.filter(({ assignable_type }) => assignable_type === "LearningPaths::Path");
  if (ofPaths.length === 0) return;
  const paths = await findCertifications(
    tx,
    ofPaths.map(({ assignable_id }) => assignable_id),
  );
  const earned = ofPaths.filter(({ assignable_id }) => paths.has(assignable_id));
  if (earned.length === 0) return;
  const names = await findNames(
    tx,
    earned.map(({ assignee_id }) => assignee_id),
  );
  const first = await moveCounter(tx, {
    kind: "certificates",
    ids: earned.length,
    total: earned.length,
    at,
  });
  const rows = earned.flatMap((row, index) => {
    const path = paths.get(row.assignable_id);
    if (path === undefined) return [];
    return {
      company_id: tx.company.id,
      id: first + index,
      number: makeNumber(tx.company.id),
      user_id: row.assignee_id,
      path_id: row.assignable_id,
      assignment_id: row.id,
      user_name: names.get(row.assignee_id) ?? "",
      path_title: path.title,
      issued_at: at,
      expires_at: findExpiry(path, at, tx.company.time_zone),
    };
  });
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await tx.sql
      .insertInto("certificates")
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .execute();
  }
  followNew(tx, certificateEvents, { ids: rows.map(({ id }) => id) });
  for (const { id, user_id, path_id, expires_at } of rows) {
    const after = { user_id, path_id, expires_at };
    await audit(tx, {
      action: "issue_certificate",
      resource_type: "certificate",
      resource_id: id,
      after,
      at,
    });
  }
}

/** A statement takes 65,535 values: of many who are done at once the rows go in parts. */
const ROWS_AT_ONCE = 1_000;

async function findCertifications(tx: WriteTx, ids: readonly number[]) {
  const rows = await tx.sql
    .selectFrom("paths")
    .select(["id", "title", "valid_months", "valid_until_day", "renewal_days"])
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...new Set(ids)]))))
    .where("is_certification", "=", true)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function findNames(tx: WriteTx, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx.sql
    .selectFrom("users")
    .select(["id", "name"])
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...new Set(ids)]))))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Digits and letters that nobody takes for one another: no I, L, O and U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** 80 bits: nobody finds the number of somebody else's certificate by trying. */
const RANDOM_CHARACTERS = 16;

/** The company in base 36, and what nobody guesses: `2S-7Q4M9ZK2B0XW3D5T`. */
function makeNumber(company_id: number): string {
  const random = [...randomBytes(RANDOM_CHARACTERS)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return `${company_id.toString(36).toUpperCase()}-${random.join("")}`;
}
