import assert from "node:assert/strict";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { eventTypes } from "../events/types.ts";
import { inDocument, makeAjv } from "./answer-check.ts";
import { allKinds, readAccount, readEvents, rebuild, type StoredEvent } from "./feed.ts";
import type { Client, TestServer } from "./server.ts";

/** A reader of a company's feed, who has copied the account when it began. */
export interface FeedReader {
  /** What has happened since the last look. All of it is as the document describes it. */
  next(): Promise<StoredEvent[]>;
  /** Makes sure that the copy and the events give the account. */
  check(): Promise<void>;
}

/** Begins to follow a company. */
export async function followFeed(
  lectern: TestServer,
  { company }: Pick<Client, "company">,
): Promise<FeedReader> {
  const { database } = lectern;
  const requireDescribed = eventCheckOf(lectern);
  const readAll = () => database.read(company, (tx) => readAccount(tx, allKinds));
  const copy = await readAll();
  let position = (await readEvents(database, company)).length;
  const told: StoredEvent[] = [];
  const next = async () => {
    const events = await readEvents(database, company, position);
    position += events.length;
    told.push(...events);
    for (const event of events) requireDescribed(event);
    return events;
  };
  const check = async () => {
    await next();
    assert.deepEqual(rebuild(told, copy, allKinds), await readAll());
  };
  return { next, check };
}

const checks = new WeakMap<TestServer, (event: StoredEvent) => void>();

/** Compiles each schema once for a server, when there is something to hold against it. */
function eventCheckOf(lectern: TestServer): (event: StoredEvent) => void {
  const known = checks.get(lectern);
  if (known !== undefined) return known;
  const ajv = makeAjv(lectern);
  const compiled = new Map<string, ValidateFunction>();
  const check = ({ type, data }: StoredEvent) => {
    // What a person was erased from has not all that it had.
    if (data["erased"] === true) return;
    const described = eventTypes[type];
    assert.ok(described, `the document lists ${type}`);
    const schema = inDocument({ $ref: `#/components/schemas/${described.data.$id}` });
    const validate = compiled.get(type) ?? ajv.compile(schema);
    compiled.set(type, validate);
    assert.ok(validate(data), `${type} ${ajv.errorsText(validate.errors)}: ${JSON.stringify(data)}`);
  };
  checks.set(lectern, check);
  return check;
}
