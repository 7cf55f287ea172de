import assert from "node:assert/strict";
import { mock, test } from "node:test";
import pg from "pg";
import { makeContent } from "./content.ts";
import { allOperations } from "./contract.ts";
import { startServer, type TestServer } from "./server.ts";
import { listTables, takeDownSecondWall } from "./walls.ts";
import { addressOf, listOperations } from "./walk.ts";

test("every statement names its company for every table, and can run on a cluster", async () => {
  const query = mock.method(pg.Client.prototype, "query");
  await using lectern = await startServer();
  await runEverything(lectern);
  const texts = new Set(query.mock.calls.map(({ arguments: [given] }) => textOf(given)));
  query.mock.restore();
  await takeDownSecondWall(lectern);
  const owner = new pg.Client({ connectionString: lectern.ownerUrl });
  await owner.connect();
  try {
    const tables = await listTables(owner);
    const touching = new RegExp(`\\b(${tables.join("|")})\\b`);
    const statements = [...texts].filter((text) => /^\s*(select|insert|update|delete|with)\b/i.test(text));
    const checked = statements.filter((text) => touching.test(text));
    assert.ok(checked.length > 50);
    await owner.query("set plan_cache_mode = force_generic_plan");
    for (const text of checked) {
      const plan = await explain(owner, text);
      for (const { "Relation Name": table = "", ...node } of listNodes(plan)) {
        if (!tables.includes(table) || node["Node Type"] === "ModifyTable") continue;
        const conditions = [node["Index Cond"], node["Recheck Cond"], node["Filter"]].join(" ");
        assert.match(conditions, /\bcompany_id = (\$\d+|'?\d+)/, `${table} without its company in: ${text}`);
      }
      checkRules(text, plan);
    }
  } finally {
    await owner.end();
  }
});

/** Once everything that the service does: content, every operation, every list paged and filtered, refusals. */
async function runEverything(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const content = await makeContent(lectern, acme, "Amber");
  const operations = listOperations(lectern).toSorted(
    (a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"),
  );
  for (const operation of operations) {
    const { method, name, parameters } = operation;
    const url = addressOf(operation, content);
    const payload = allOperations.find((expected) => expected.name === name)?.body?.(content);
    await acme.request({ method, url, ...(payload && { payload }) });
    if (!parameters.some((parameter) => parameter.name === "page")) continue;
    const filters = parameters.filter((parameter) => /^(filter|gt)/.test(parameter.name));
    const queries = filters.map((filter) => `${filter.name.replace("<id>", "1")}=${sampleOf(filter.name)}`);
    for (const query of ["", ...queries, queries.join("&")]) {
      const first = await acme.get(`${url}?per_page=1&${query}`);
      const next = /<([^>]+)>/.exec(String(first.headers["link"]))?.[1];
      if (next !== undefined) await acme.get(next.replace(/^https?:\/\/[^/]+/, ""));
      await acme.get(`${url}?per_page=1000&page=9&${query}`);
    }
  }
}

function sampleOf(filter: string): string {
  if (filter.startsWith("gt") || filter.includes("since")) return "2001-01-01";
  return filter.includes("active") ? "true" : "1";
}

function textOf(given: unknown): string {
  if (typeof given === "string") return given;
  return typeof given === "object" && given !== null && "text" in given ? String(given.text) : "";
}

interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Recheck Cond"?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Node[];
}

/** The plan of a statement for any parameters, as PostgreSQL makes it without row-level security. */
async function explain(owner: pg.Client, text: string): Promise<Node> {
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));
  const parameters = count === 0 ? "" : `(${Array.from({ length: count }, () => "null").join(", ")})`;
  await owner.query(`prepare statement as ${text}`);
  const { rows } = await owner.query(`explain (format json) execute statement${parameters}`);
  await owner.query("deallocate statement");
  return rows[0]["QUERY PLAN"][0]["Plan"];
}

function listNodes(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap((inner) => listNodes(inner))];
}

/** Functions whose value is another each time, and those that depend on a setting. */
const VOLATILE =
  /\b(clock_timestamp|now|random|gen_random_uuid|uuidv[47]|nextval|timeofday|(statement|transaction)_timestamp) ?\(|\b(current_(timestamp|date|time)|localtime(stamp)?)\b/i;
const STABLE = /\binterval\b|\b(to_char|date_trunc|format|age) ?\(|\bat time zone\b/i;

function checkRules(text: string, plan: Node): void {
  const changing = /\b(update|delete from)\b(?! of)(?<!for update)/i.test(
    text.replaceAll(/on conflict.*/gis, ""),
  );
  const [, onConflict] = /\bon conflict\b(.*)/is.exec(text) ?? [];
  const held = changing ? text : onConflict;
  if (held !== undefined) {
    assert.doesNotMatch(held, VOLATILE, text);
    assert.doesNotMatch(held, STABLE, text);
  }
  assert.doesNotMatch(text, /\bmerge into\b|\bpg_(try_)?advisory|\bcopy\b.*\bfrom\b/i, text);
  if (/^\s*insert\b/i.test(text) && onConflict === undefined && !/\breturning\b/i.test(text)) {
    const read = listNodes(plan).filter(
      (node) => node["Node Type"].includes("Scan") && node["Relation Name"] !== undefined,
    );
    assert.deepEqual(read, [], `rows of a table go straight into another: ${text}`);
  }
}
