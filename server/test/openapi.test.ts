import assert from "node:assert/strict";
import { test } from "node:test";
import { isOfVersion2 } from "../http/versions.ts";
import { inDocument, makeAjv } from "./answer-check.ts";
import { startServer, type TestServer } from "./server.ts";
import { listOperations, listOperationsOfVersion2, readDocument, type Schema } from "./walk.ts";

/** Addresses that are no part of the API, and what a browser or an operator asks of them. */
const UNDESCRIBED = /^\/(docs(\/.*)?|openapi\.json|healthz|readyz|metrics)$/;

test("the document", async (t) => {
  await using lectern = await startServer();
  await t.test("the document describes what the app serves, and nothing else", () =>
    describesTheRoutes(lectern),
  );
  await t.test("every operation says what it does, takes, gives and refuses", () =>
    describesEveryOperation(lectern),
  );
  await t.test("every object of an answer has the keys that are published, always, and no others", () =>
    closesEveryObject(lectern),
  );
  await t.test("every example in the document is valid", () => hasValidExamples(lectern));
});

async function describesTheRoutes(lectern: TestServer): Promise<void> {
  const served = lectern.routeTable.routes
    .filter(({ url }) => !UNDESCRIBED.test(url))
    .flatMap(({ url, methods }) =>
      methods.filter((method) => method !== "HEAD").map((method) => `${method} ${url}`),
    );
  const described = [...listOperations(lectern), ...listOperationsOfVersion2(lectern)];
  assert.deepEqual(described.map(({ name }) => name).toSorted(), served.toSorted());
  assert.deepEqual(
    await lectern.app.inject("/openapi.json").then((answer) => answer.json()),
    readDocument(lectern),
  );
}

async function describesEveryOperation(lectern: TestServer): Promise<void> {
  const { paths } = readDocument(lectern);
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { summary, tags, parameters = [], responses }] of Object.entries(methods)) {
      const name = `${method} ${path}`;
      assert.match(summary ?? "", /\w+ \w+/, name);
      assert.equal(tags?.length, 1, name);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const described = parameters
        .filter((parameter) => parameter.in === "path")
        .map((parameter) => parameter.name);
      assert.deepEqual(described, inPath, name);
      for (const parameter of parameters) {
        assert.match(parameter.description ?? "", /\w+/, `${name} describes ${parameter.name}`);
      }
      if (isOfVersion2(path)) {
        assert.ok(responses["422"] && responses["429"], name);
        continue;
      }
      const success = method === "post" ? "201" : "200";
      const statuses = [success, "400", "401", "403", "404", "405", "406", "500", "503"];
      assert.deepEqual(Object.keys(responses).toSorted(), statuses.toSorted(), name);
      for (const [status, { description, content }] of Object.entries(responses)) {
        assert.ok(
          description.length > 10 && description !== "Default Response",
          `${name} describes ${status}`,
        );
        const { schema } = content?.["application/json"] ?? {};
        assert.ok(schema, `${name} says what ${status} looks like`);
        if (status !== success) assert.deepEqual(schema, { $ref: "#/components/schemas/Error" }, name);
      }
    }
  }
}

async function closesEveryObject(lectern: TestServer): Promise<void> {
  const { components } = readDocument(lectern);
  const optional = new Set<string>();
  const walk = (schema: Schema, place: string, seen: ReadonlySet<string>): void => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.replace("#/components/schemas/", "");
      const named = components.schemas[name];
      assert.ok(named, `${schema.$ref} leads to a schema`);
      if (!seen.has(name)) walk(named, name, new Set([...seen, name]));
      return;
    }
    for (const choice of schema.anyOf ?? []) walk(choice, place, seen);
    if (schema.items !== undefined) walk(schema.items, `${place}[]`, seen);
    if (schema.properties === undefined) {
      assert.ok(schema.type !== "object", `${place} names its keys`);
      return;
    }
    assert.equal(schema.additionalProperties, false, `${place} takes no further keys`);
    for (const [key, inner] of Object.entries(schema.properties)) {
      if (!schema.required?.includes(key)) optional.add(`${place}.${key}`);
      walk(inner, `${place}.${key}`, seen);
    }
  };
  for (const { answer, name } of listOperations(lectern)) walk(answer, name, new Set());
  for (const key of optional) assert.match(key, MAY_BE_ABSENT);
}

async function hasValidExamples(lectern: TestServer): Promise<void> {
  const ajv = makeAjv(lectern);
  let examples = 0;
  const check = (schema: object, example: unknown, place: string): void => {
    examples += 1;
    assert.ok(ajv.validate(inDocument(schema), example), `${place}: ${ajv.errorsText()}`);
  };
  // A schema's own examples, wherever it stands; and a body's example, which stands beside its schema.
  const walk = (node: unknown, place: string): void => {
    if (typeof node !== "object" || node === null) return;
    if ("type" in node && "examples" in node && Array.isArray(node.examples)) {
      for (const example of node.examples) check(node, example, place);
    }
    if ("type" in node && "example" in node) check(node, node.example, place);
    if ("schema" in node && typeof node.schema === "object" && node.schema !== null) {
      if ("example" in node) check(node.schema, node.example, place);
      if ("examples" in node) {
        for (const example of Object.values(Object(node.examples)))
          check(node.schema, Object(example).value, place);
      }
    }
    for (const [key, inner] of Object.entries(node)) walk(inner, `${place}/${key}`);
  };
  walk(readDocument(lectern), "");
  assert.ok(examples > 5);
}

/** What the contract gives to some of a kind only: an item of contents, a path's assignment, a link, a lesson's score. */
const MAY_BE_ABSENT =
  /^(Error\.errors|AssignmentContent\..*|PathContent\..*|ListedAssignment\.(contents|is_certification)|.*\.links\.shareable)$/;
