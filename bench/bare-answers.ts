import type { Pool, PoolClient } from "pg";
import { toTime } from "./bare-rows.ts";

interface Saved {
  readonly revision: number;
  readonly saved_at: string;
}

/** Saves an answer of an open attempt, which is locked meanwhile. */
export async function saveAnswer(
  pool: Pool,
  { company, attempt, question }: { company: string; attempt: string; question: string },
  answer: object,
): Promise<object> {
  return inTransaction(pool, async (client) => {
    const found = await client.query<{ status: string }>({
      name: "attempt to answer",
      text: `select a.*, v.title, v.language, v.retake_score, v.published_at
        from attempts a
        join lesson_versions v on v.company_id = a.company_id and v.lesson_id = a.lesson_id and v.number = a.version
        where a.company_id = $1 and a.id = $2
        for no key update of a`,
      values: [company, attempt],
    });
    if (found.rows[0]?.status !== "open") throw new Error(`attempt ${attempt} is not open`);
    const before = await client.query<Saved>({
      name: "answer before",
      text: `select answer, revision, saved_at from attempt_answers
        where company_id = $1 and attempt_id = $2 and question_id = $3`,
      values: [company, attempt, question],
    });
    const { rows } = await client.query<Saved>({
      name: "save answer",
      text: `insert into attempt_answers as given
          (company_id, attempt_id, question_id, answer, revision, is_final, saved_at)
        values ($1, $2, $3, $4, 1, false, now())
        on conflict (company_id, attempt_id, question_id) do update
        set answer = excluded.answer, revision = given.revision + 1, saved_at = excluded.saved_at
        returning revision, saved_at`,
      values: [company, attempt, question, JSON.stringify(answer)],
    });
    const [saved] = rows;
    const isFirst = before.rows.length === 0;
    if (saved === undefined || isFirst !== (saved.revision === 1)) throw new Error("the answer is not saved");
    return { question_id: question, revision: saved.revision, saved_at: toTime(saved.saved_at) };
  });
}

/** Runs statements in a transaction. */
export async function inTransaction<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const result = await run(client);
    await client.query("commit");
    return result;
  } finally {
    client.release();
  }
}
