import type { KyselyPlugin } from "kysely";
import type { Tx } from "../db/db.ts";
import type { Client, TestServer } from "./server.ts";

/** How many statements a reading sends, so that a test sees one that comes to ask for each row anew. */
export async function countStatements(
  { database }: TestServer,
  client: Client,
  read: (tx: Tx) => Promise<unknown>,
): Promise<number> {
  let statements = 0;
  const counter: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await database.read(client.company, (tx) => read({ ...tx, sql: tx.sql.withPlugin(counter) }));
  return statements;
}
