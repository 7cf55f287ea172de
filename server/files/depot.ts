import type { Config } from "../config.ts";
import type { Company } from "../companies/companies.ts";
import type { Actor, Database, WriteTx } from "../db/db.ts";
import type { Secrets } from "../secrets.ts";
import { openStore, type Store } from "./store.ts";

/** What files need beside the transaction: where their bytes lie, who looks at them, how they are addressed. */
export interface Depot extends Disposable {
  readonly store: Store;
  /** Signs addresses. */
  readonly secrets: Pick<Secrets, "sign" | "isSignedBy">;
  readonly clamdAddress: string | undefined;
  readonly mostFileBytes: number;
  readonly quotaBytes: number;
}

const MIB = 1_048_576;
const GIB = 1_073_741_824;

/** Opens what the configuration names. Dispose it to close its connections. */
export async function openDepot(config: Config, secrets: Depot["secrets"]): Promise<Depot> {
  const store = await openStore(config);
  return {
    store,
    secrets,
    clamdAddress: config.clamdAddress,
    mostFileBytes: config.mostFileMib * MIB,
    quotaBytes: config.filesQuotaGib * GIB,
    [Symbol.dispose]: () => store[Symbol.dispose](),
  };
}

/** Work on files that takes longer than one transaction may: for whom, and with what. */
export interface FileWork {
  readonly depot: Depot;
  readonly company: Company;
  /** Runs one of its transactions. It is no request's answer, so no Idempotency-Key keeps what it gives. */
  readonly write: <T>(run: (tx: WriteTx) => Promise<T>) => Promise<T>;
}

/** The work on files that one actor has done for a company. */
export function fileWork(
  depot: Depot,
  database: Database,
  { company, actor }: { readonly company: Company; readonly actor: Actor },
): FileWork {
  return { depot, company, write: (run) => database.write(company, actor, run) };
}
