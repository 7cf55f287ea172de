import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../test/server.ts";

test("the document and its page are open to all, and ask no other host for anything", async () => {
  await using lectern = await startServer();
  const document = await lectern.app.inject({ url: "/openapi.json" });
  assert.equal(document.statusCode, 200);
  assert.equal(JSON.parse(document.body).openapi, "3.1.0");
  const page = await lectern.app.inject({ url: "/docs/" });
  assert.equal(page.statusCode, 200);
  assert.doesNotMatch(page.body, /(src|href)="(https?:)?\/\//);
  const files = [...page.body.matchAll(/(?:src|href)="\.\/(static\/[^"]+)"/g)].map(
    ([, file]) => `/docs/${file}`,
  );
  assert.ok(files.length > 3);
  for (const url of files) assert.equal((await lectern.app.inject({ url })).statusCode, 200, url);
  const policy = String(page.headers["content-security-policy"]);
  assert.match(policy, /default-src 'self'/);
  assert.doesNotMatch(policy, /[a-z0-9-]+\.[a-z]{2,}/);
  const settings = await lectern.app.inject({ url: "/docs/static/swagger-initializer.js" });
  assert.match(settings.body, /"validatorUrl":null/);
});
