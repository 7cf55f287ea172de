import { startServer } from "../test/server.ts";
await using lectern = await startServer();
const { acme, make } = lectern;
const lesson = await make.lesson(acme);
let inner = await make.path(acme, { contents: [{ resource_type: "lesson", lesson_id: lesson }] });
const t0 = performance.now();
await make.write(acme, async (tx) => {
  for (let i = 2; i <= 1000; i++) {
    await tx.sql
      .insertInto("paths")
      .values({
        company_id: tx.company.id,
        id: i,
        title: `p${i}`,
        description: "",
        enforced_order: false,
        public: false,
        is_certification: false,
        created_at: new Date().toISOString(),
      })
      .execute();
    await tx.sql
      .insertInto("path_items")
      .values([
        { company_id: tx.company.id, path_id: i, position: 0, resource_type: "path", nested_path_id: i - 1 },
        { company_id: tx.company.id, path_id: i, position: 1, resource_type: "lesson", lesson_id: lesson },
      ])
      .execute();
    await tx.sql
      .insertInto("assignables")
      .values({
        company_id: tx.company.id,
        assignable_type: "LearningPaths::Path",
        assignable_id: i,
        assignees_count: 0,
        completed_count: 0,
        total_completions: 0,
        via_assignment: 0,
      })
      .execute();
  }
});
console.log("made", performance.now() - t0);
for (const id of [1, 3, 10, 100, 300, 1000, 1000, 1000]) {
  const t = performance.now();
  const a = await acme.get(`/api/v1/paths/${id}`);
  console.log(
    id,
    a.status,
    (performance.now() - t).toFixed(1),
    JSON.stringify(a.body).length,
    a.status === 200 ? "" : a.body,
  );
}
console.log(JSON.stringify((await acme.get("/api/v1/paths/3")).body, null, 1));
import { findStructures, toContents } from "./contents.ts";
for (let i = 0; i < 8; i++)
  await lectern.database.read(acme.company, async (tx) => {
    const t = performance.now();
    const found = await findStructures(tx, [1000]);
    const t2 = performance.now();
    toContents(tx, found);
    console.log("deep sql", (t2 - t).toFixed(1), "assemble", (performance.now() - t2).toFixed(1));
  });
for (let i = 0; i < 12; i++)
  await lectern.database.read(acme.company, async (tx) => {
    const t = performance.now();
    const found = await findStructures(tx, [3]);
    console.log("3 levels sql", (performance.now() - t).toFixed(2));
  });
for (let n = 1000; n < 4000; n += 100) {
  let d = [];
  for (let i = 0; i < n; i++) d = [{ id: 1, contents: d }, {}];
  try {
    JSON.stringify(d);
  } catch {
    console.log("limit", n);
    break;
  }
}
import { sql } from "kysely";
const explain = (analyzed: string) => lectern.database.read(acme.company, async (tx) => {
  const c = acme.company.id;
  const { rows } = await sql`explain analyze
    with recursive reachable (path_id) as (
      select id from paths where company_id = ${c} and id = any(${[1000]}::bigint[])
      union
      select item.nested_path_id
      from reachable
      join path_items item on item.company_id = ${c} and item.path_id = reachable.path_id
      where item.nested_path_id is not null
    )
    select item.path_id, item.resource_type, coalesce(item.lesson_id, item.nested_path_id, item.item_id) as id,
      coalesce(lesson.title, nested.title) as title,
      item.effect, item.condition, item.unit, item.amount, item.description
    from reachable
    join path_items item on item.company_id = ${c} and item.path_id = reachable.path_id
    left join lessons lesson on lesson.company_id = ${c} and lesson.id = item.lesson_id
    left join paths nested on nested.company_id = ${c} and nested.id = item.nested_path_id
    order by item.path_id, item.position`.execute(tx.sql);
  console.log(analyzed + rows.map((r) => Object.values(r)[0]).join("\n"));
});
await explain("before ");
import pg from "pg";
const client = new pg.Client(lectern.ownerUrl); await client.connect(); await client.query("analyze"); await client.end();
await explain("after ");
