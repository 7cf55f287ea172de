import { Client } from "pg";
import { OWNER_ROLE } from "./cluster.ts";
import { isCode } from "./process.ts";
import { OperatorError } from "../../operator-error.ts";

/** How to sign in to a database. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

const DATABASE = "lectern";
const CONNECT_LIMIT_MS = 5_000;

const NO_SUCH_DATABASE = "3D000";
const DATABASE_EXISTS = "42P04";
const WRONG_PASSWORD = "28P01";
const NOT_ALLOWED = "28000";

export function addressOf(port: number, password: string): DatabaseAddress {
  return { host: "127.0.0.1", port, user: OWNER_ROLE, password, database: DATABASE };
}

/**
 * Connects, and makes the database if it is missing. Gives the reason when that is not possible now. Throws an
 * OperatorError when no later attempt can do better.
 */
export async function tryToPrepare(address: DatabaseAddress): Promise<Error | undefined> {
  const refusal = await tryToConnect(address);
  if (!isCode(refusal, NO_SUCH_DATABASE)) return refusal;
  await createDatabase(address);
  return await tryToConnect(address);
}

/** Like tryToPrepare, but makes nothing. */
export async function tryToConnect(address: DatabaseAddress): Promise<Error | undefined> {
  const client = clientFor(address);
  try {
    await client.connect();
  } catch (error) {
    if (isCode(error, WRONG_PASSWORD, NOT_ALLOWED)) {
      throw new OperatorError(
        `PostgreSQL refuses the password in postgres.password (${String(error)}). Restore the file that belongs to the database.`,
        { cause: error },
      );
    }
    return error instanceof Error ? error : new Error(String(error));
  }
  await client.end();
  return undefined;
}

async function createDatabase(address: DatabaseAddress): Promise<void> {
  const client = clientFor({ ...address, database: "postgres" });
  await client.connect();
  try {
    await client.query(`create database ${DATABASE}`);
  } catch (error) {
    if (!isCode(error, DATABASE_EXISTS)) throw error;
  } finally {
    await client.end();
  }
}

function clientFor(address: DatabaseAddress): Client {
  // Without `ssl`, a PGSSLMODE in the environment would ask for what the embedded PostgreSQL does not speak.
  const client = new Client({ ...address, ssl: false, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  // A connection that breaks while nobody waits for it would otherwise end the process.
  client.on("error", () => undefined);
  return client;
}
