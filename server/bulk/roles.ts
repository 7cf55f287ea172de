import type { Tx } from "../db/db.ts";
import { type FieldError, Problem } from "../http/problem.ts";
import { requireNoLessThan } from "../roles/limits.ts";
import type { UserRow } from "./rows.ts";

/** The roles of the company, by which rows make users something. */
export class Roles {
  readonly #tx: Tx;
  readonly #names: ReadonlyMap<number, string>;
  readonly #verdicts = new Map<number, Promise<boolean>>();

  private constructor(tx: Tx, names: ReadonlyMap<number, string>) {
    this.#tx = tx;
    this.#names = names;
  }

  static async read(tx: Tx): Promise<Roles> {
    const rows = await tx.sql
      .selectFrom("roles")
      .select(["id", "name"])
      .where("company_id", "=", tx.company.id)
      .execute();
    return new Roles(tx, new Map(rows.map(({ id, name }) => [id, name])));
  }

  /**
   * The role that a row names, and what is wrong with it.
   * @param held the role of the user whom the row is about: who may more than the caller is not the caller's to change.
   */
  async choose(
    { role, role_id }: UserRow,
    held: number | undefined,
  ): Promise<{ role_id: number | undefined; errors: FieldError[] }> {
    const chosen = role_id ?? (role === undefined ? undefined : this.#findByName(role));
    const errors = this.#findErrors({ role, role_id }, chosen);
    for (const id of [held, chosen]) {
      if (errors.length > 0 || id === undefined || (await this.#mayGive(id))) continue;
      errors.push({ field: "role", message: "may more than you: nobody can give what they lack themselves" });
    }
    return { role_id: chosen, errors };
  }

  #findByName(role: string): number | undefined {
    return [...this.#names].find(([, name]) => name === role)?.[0];
  }

  #findErrors(given: { role: string | undefined; role_id: number | undefined }, chosen: number | undefined) {
    const { role, role_id } = given;
    const errors: FieldError[] = [];
    if (role_id !== undefined && !this.#names.has(role_id)) {
      errors.push({ field: "role_id", message: "names no role of this company" });
    } else if (role !== undefined && chosen === undefined) {
      errors.push({ field: "role", message: `must be one of ${[...this.#names.values()].join(", ")}` });
    } else if (role !== undefined && chosen !== undefined && this.#names.get(chosen) !== role) {
      errors.push({ field: "role", message: "is another role than role_id: give one of the two" });
    }
    return errors;
  }

  async #mayGive(id: number): Promise<boolean> {
    const known = this.#verdicts.get(id) ?? mayGive(this.#tx, id);
    this.#verdicts.set(id, known);
    return known;
  }
}

async function mayGive(tx: Tx, id: number): Promise<boolean> {
  try {
    await requireNoLessThan(tx, [id]);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
