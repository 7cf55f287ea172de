import pg from "pg";
import { isOfVersion2 } from "../http/versions.ts";
import type { Content } from "./content.ts";
import type { TestServer } from "./server.ts";

/** A schema of the published document, as far as the walks look into it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly description?: string;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: Schema;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface DocumentedAnswer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface DocumentedOperation {
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
}

/** The published document, as far as the walks look into it. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** One operation that the running app serves. */
export interface Operation {
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  /** What it takes in place of JSON, such as text/csv. */
  readonly takes: string | undefined;
  /** The status of success, and what is answered with it. */
  readonly status: number;
  readonly answer: Schema;
  /** Whether it never answers anything but JSON. */
  readonly isJson: boolean;
}

export function readDocument({ app }: Pick<TestServer, "app">): Document {
  const known = documents.get(app);
  if (known !== undefined) return known;
  const document: Document = JSON.parse(JSON.stringify(app.swagger()));
  documents.set(app, document);
  return document;
}

/** Each app's document: it is long, and the walks look into it for every operation. */
const documents = new WeakMap<TestServer["app"], Document>();

/** Every operation of the contract that the running app serves, from its own document. */
export function listOperations(lectern: TestServer): Operation[] {
  return operationsOf(lectern, (path) => !isOfVersion2(path));
}

/** Every operation of version 2. */
export function listOperationsOfVersion2(lectern: TestServer): Operation[] {
  return operationsOf(lectern, isOfVersion2);
}

function operationsOf(lectern: TestServer, isWanted: (path: string) => boolean): Operation[] {
  const wanted = Object.entries(readDocument(lectern).paths).filter(([path]) => isWanted(path));
  return wanted.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(path, method, operation)),
  );
}

function toOperation(path: string, lowerMethod: string, documented: DocumentedOperation): Operation {
  const url = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const method = methods.find((known) => known.toLowerCase() === lowerMethod);
  const success = Object.entries(documented.responses).find(([status]) => /^[23]/.test(status));
  const [, described] = success ?? [];
  // What is no JSON is described by its media type alone; what redirects has no content at all.
  const answer = described?.content?.["application/json"]?.schema ?? {};
  if (method === undefined || success === undefined) throw new Error(`${path} is not described`);
  return {
    name: `${method} ${url}`,
    method,
    url,
    answer,
    isJson: Object.keys(described?.content ?? {}).every((type) => type === "application/json"),
    status: Number(success[0]),
    parameters: documented.parameters ?? [],
    body: documented.requestBody?.content["application/json"]?.schema,
    takes: Object.keys(documented.requestBody?.content ?? {}).find((type) => type !== "application/json"),
  };
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The address of an operation on a company's content. */
export function addressOf({ url }: { readonly url: string }, content: Content): string {
  return url.replaceAll(/:(\w+)/g, (_, parameter: string) => {
    const id = Object.entries({ ...content, ...words }).find(([key]) => key === parameter)?.[1];
    if (id === undefined) throw new Error(`teach the walk what :${parameter} names`);
    return String(id);
  });
}

/** What stands in addresses beside ids of content. */
const words = {
  status: "incomplete",
  subdomain: "acme",
  version: "1",
  part: "1",
  number: "1-NOBODY",
  question_id: "q1",
  step_id: "lesson-1",
};

/** A way into a body: keys, and indexes of arrays. */
export type Place = readonly (string | number)[];

/** Every value that a schema names, the outer ones first, with the way to it. An array is entered at its first element. */
export function listPlaces(schema: Schema, place: Place = []): { place: Place; schema: Schema }[] {
  const properties = Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    listPlaces(inner, [...place, key]),
  );
  const items = schema.items === undefined ? [] : listPlaces(schema.items, [...place, 0]);
  return [{ place, schema }, ...properties, ...items];
}

/** A copy of a value with another at a place; what is missing on the way is made. */
export function withValueAt(value: unknown, [step, ...rest]: Place, replacement: unknown): unknown {
  if (step === undefined) return replacement;
  if (typeof step === "number") {
    const elements: unknown[] = Array.isArray(value) ? value : [];
    return step >= elements.length
      ? [...elements, withValueAt(undefined, rest, replacement)]
      : elements.with(step, withValueAt(elements[step], rest, replacement));
  }
  const object = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const inner = Object.entries(object).find(([key]) => key === step)?.[1];
  return { ...object, [step]: withValueAt(inner, rest, replacement) };
}

/** `["members", 2, "id"]` → `members[2].id`, as errors name it. */
export function fieldName(place: Place): string {
  return place.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    return name === "" ? step : `${name}.${step}`;
  }, "");
}

/** Everything that is stored, but for what every request may touch: a window of the rate limit, a key's last use. */
export async function dump({ ownerUrl, acme, globex }: TestServer): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string; of_a_company: boolean }>(
      `select c.relname as name, exists (
         select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
       ) as of_a_company
       from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
         and c.relname <> 'rate_windows' order by 1`,
    );
    const found = new Map<string, string>();
    for (const { company } of [acme, globex]) {
      await client.query("select set_config('app.company_id', $1, false)", [String(company.id)]);
      for (const { name, of_a_company } of tables) {
        const rows = await client.query<{ rows: string }>(
          `select coalesce(jsonb_agg(to_jsonb(t) - 'last_used_at' order by to_jsonb(t)), '[]')::text as rows
           from ${pg.escapeIdentifier(name)} t ${of_a_company ? `where company_id = ${company.id}` : ""}`,
        );
        found.set(`${name} of ${company.subdomain}`, rows.rows[0]?.rows ?? "");
      }
    }
    return found;
  } finally {
    await client.end();
  }
}
