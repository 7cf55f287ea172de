import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../test/server.ts";
import { makeContent } from "../test/content.ts";
import { exportBundle } from "./export.ts";
import { importBundle } from "./import.ts";

test("round", async () => {
  await using lectern = await startServer();
  await makeContent(lectern, lectern.acme, "Acme");
  let text = "";
  await exportBundle(lectern.database, lectern.acme.company, async (c) => { text += c; });
  const other = await lectern.addCompany({ subdomain: "other" });
  console.log(await importBundle(lectern.database, other.company, (async function* () { yield Buffer.from(text); })()));
  let again = "";
  await exportBundle(lectern.database, other.company, async (c) => { again += c; });
  assert.equal(again, text);
});
