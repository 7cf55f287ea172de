import type { Tx, WriteTx } from "../db/db.ts";

/** An event that a transaction has caused. */
export interface NewEvent {
  /** Such as `assignment.completed`; events/types.ts lists them. */
  readonly type: string;
  /** The id of what it is about; null where that has no id of its own. */
  readonly resource_id: number | null;
  /** Of whom `data` tells something; null where of nobody. */
  readonly user_id: number | null;
  /** What it is about, as version 2 shows it. Of what was deleted: what names it. */
  readonly data: object;
  /** Of a change: the former values of what changed. */
  readonly previous?: object | null;
  /** Whether people may be mailed for it. */
  readonly notify?: boolean;
}

/** How version 2 shows a thing. */
export type State = Readonly<Record<string, unknown>>;

/** A kind of thing whose changes become events by comparing what version 2 shows of it before and after. */
export interface Followed {
  /** What its events' types begin with. */
  readonly name: "user" | "group" | "lesson" | "path" | "course" | "certificate";
  /** Reads what there is of these, by id. */
  readonly read: (tx: Tx, ids: readonly number[]) => Promise<ReadonlyMap<number, State>>;
  /** Of whom a state tells something; nobody without. */
  readonly userOf?: (state: State) => number | null;
  /** Whether it refers to what other events of a transaction tell of, and so is told of after them. */
  readonly comesLast?: true;
  /** What its beginning is called; `created` without. */
  readonly nameCreation?: string;
  /** What happened, for what is neither archived nor restored; `updated` without. */
  readonly nameChange?: (before: State, after: State) => string;
}

interface Kept {
  readonly kind: Followed;
  readonly before: Map<number, State | undefined>;
  readonly silent: Set<number>;
}

/** What a transaction has changed so far. It becomes events when the transaction ends; see record.ts. */
export class Changes {
  readonly events: NewEvent[] = [];
  readonly #followed = new Map<Followed["name"], Kept>();

  /** Notes that something has happened. */
  add(...events: readonly NewEvent[]): void {
    for (const event of events) this.events.push(event);
  }

  /** What is followed, in the order that it was begun. */
  get followed(): Iterable<Kept> {
    return this.#followed.values();
  }

  /** What is known of a kind. */
  of(kind: Followed): Kept {
    const known = this.#followed.get(kind.name);
    if (known !== undefined) return known;
    const kept: Kept = { kind, before: new Map(), silent: new Set() };
    this.#followed.set(kind.name, kept);
    return kept;
  }
}

/**
 * Says that these things may be changed or deleted by the transaction. Call it before they are, after they are locked:
 * what differs in the end becomes events.
 */
export async function follow(tx: WriteTx, kind: Followed, ids: readonly number[]): Promise<void> {
  const { before } = tx.changes.of(kind);
  const unknown = [...new Set(ids)].filter((id) => !before.has(id));
  if (unknown.length === 0) return;
  const states = await kind.read(tx, unknown);
  for (const id of unknown) before.set(id, states.get(id));
}

/** Says that the transaction makes these things. `silent` are those whose people are not to be mailed. */
export function followNew(
  tx: WriteTx,
  kind: Followed,
  { ids, silent = [] }: { readonly ids: readonly number[]; readonly silent?: readonly number[] },
): void {
  const kept = tx.changes.of(kind);
  for (const id of ids) if (!kept.before.has(id)) kept.before.set(id, undefined);
  for (const id of silent) kept.silent.add(id);
}
