import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { TestServer } from "./server.ts";
import { type Operation, readDocument } from "./walk.ts";

/** Gives a check of what an operation answered with success against the schema that the document publishes for it. */
export function makeAnswerCheck(lectern: TestServer): (operation: Operation, body: unknown) => void {
  const ajv = makeAjv(lectern);
  const compiled = new Map<string, ValidateFunction>();
  return ({ name, answer }, body) => {
    const validate = compiled.get(name) ?? ajv.compile(inDocument(answer));
    compiled.set(name, validate);
    assert.ok(validate(body), `${name} ${ajv.errorsText(validate.errors)}: ${JSON.stringify(body)}`);
  };
}

/** A validator that knows the document's named schemas; the document's references lead to them. */
export function makeAjv(lectern: TestServer): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, validateFormats: false });
  ajv.addVocabulary(["example", "components"]);
  const { components } = readDocument(lectern);
  ajv.addSchema({ components, $id: DOCUMENT }, DOCUMENT);
  return ajv;
}

const DOCUMENT = "https://lectern.test/openapi.json";

/** The schema with references that are found from outside of the document. */
export function inDocument(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${DOCUMENT}#/components/`));
}
