import type { Content } from "./content.ts";
import type { TestServer } from "./server.ts";
import { type Operation, readDocument, type Schema } from "./walk.ts";

/** A body that an operation takes: what it requires, made from its schema, with ids of a company's content. */
export function sampleOf(lectern: TestServer, { body }: Operation, content: Content): object | undefined {
  if (body === undefined) return undefined;
  const named = readDocument(lectern).components.schemas;
  return Object(sample(body, "", { content, named }));
}

interface Known {
  readonly content: Content;
  readonly named: Readonly<Record<string, Schema>>;
}

function sample(schema: Schema, key: string, known: Known): unknown {
  if (schema.$ref !== undefined) {
    return sample(known.named[schema.$ref.replace("#/components/schemas/", "")] ?? {}, key, known);
  }
  if (schema.anyOf?.[0] !== undefined) return sample(schema.anyOf[0], key, known);
  if (schema.enum !== undefined) return schema.enum[0];
  // Content comes as any object: what it must be is read by hand, and an empty lesson is one.
  if (key === "content") return { sections: [] };
  const types = new Set([schema.type ?? []].flat());
  // No text that is made here is sure to be what a pattern asks for.
  if (types.has("null") && schema.pattern !== undefined) return null;
  if (types.has("object")) {
    const required = Object.entries(schema.properties ?? {}).filter(([name]) =>
      schema.required?.includes(name),
    );
    return Object.fromEntries(required.map(([name, inner]) => [name, sample(inner, name, known)]));
  }
  if (types.has("array")) return (schema.minItems ?? 0) > 0 ? [sample(schema.items ?? {}, key, known)] : [];
  if (types.has("boolean")) return true;
  if (types.has("integer") || types.has("number")) return anInteger(schema, key, known.content);
  return types.has("string") ? aText(schema, key) : null;
}

function anInteger({ minimum = 1 }: Schema, key: string, content: Content): number {
  const id = Object.entries(content).find(([name]) => name === key)?.[1];
  return typeof id === "number" ? id : minimum;
}

function aText({ format, minLength = 1, examples }: Schema, key: string): string {
  const [example] = examples ?? [];
  if (typeof example === "string") return example;
  if (format === "date" || format === "moment") return "2099-12-31";
  if (key.includes("email")) return "sample@example.com";
  if (key.includes("password")) return "correct horse battery staple";
  return "sample".padEnd(minLength, "-");
}
