import { sql } from "kysely";
import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { checkStructure, type StructureFault } from "../paths/cycles.ts";
import { checker } from "./check.ts";
import { type Import, importPart } from "./part.ts";
import { Rows } from "./rows.ts";
import { PathItem } from "./schema.ts";
import { pathItems } from "./tables.ts";
import { wrong } from "./wrong.ts";

/**
 * Imports what is in the paths, which are there by now, and checks that no path contains itself.
 * @throws OperatorError
 */
export async function importPathItems(job: Import): Promise<void> {
  const items = new Rows(pathItems);
  await importPart(job, "paths", {
    schema: PathItem,
    tables: [items],
    take({ id: path_id, contents }, { element, pointer }) {
      for (const [position, item] of contents.entries()) {
        const at = `${pointer}/contents/${position}`;
        const own = toItem(item, at);
        if (own.nested_path_id === path_id) throw wrong(`${at}/id`, "is the path itself");
        job.ids.note("path_items", own.item_id);
        items.add({ path_id, position, ...own }, element, at);
      }
    },
  });
  const fault = await findFault(job.tx);
  if (fault !== undefined) throw await toWrong(job, fault);
}

type Item = Static<typeof PathItem>["contents"][number];

const nothing = {
  lesson_id: null,
  nested_path_id: null,
  item_id: null,
  effect: null,
  condition: null,
  unit: null,
  amount: null,
  description: null,
};

function toItem(item: Item, pointer: string) {
  const resource_type = item.resource_type ?? item.type;
  switch (resource_type) {
    case undefined:
      throw wrong(`${pointer}/resource_type`, "is required");
    case "lesson":
      return { ...nothing, resource_type, lesson_id: item.id };
    case "path":
      return { ...nothing, resource_type, nested_path_id: item.id };
    case "placeholder":
      return { ...nothing, resource_type, item_id: item.id, description: item.description ?? null };
    default:
      return { ...nothing, resource_type, item_id: item.id, ...toWaitStep(item, pointer) };
  }
}

function toWaitStep({ effect, condition, unit, amount }: Item, pointer: string) {
  const missing = Object.entries({ effect, condition, unit, amount }).find(
    ([, value]) => value === undefined,
  );
  if (missing !== undefined) throw wrong(`${pointer}/${missing[0]}`, "is required");
  return { effect: effect ?? "", condition: condition ?? "", unit: unit ?? "", amount: amount ?? 0 };
}

/** Looks at all paths of the company: an imported one may hold one that was there before. */
async function findFault(tx: Tx): Promise<StructureFault | undefined> {
  const { rows: nested } = await sql<{ path_id: number; nested_path_id: number }>`
    select path_id, nested_path_id
    from path_items
    where company_id = ${tx.company.id} and nested_path_id is not null
    order by path_id, position`.execute(tx.sql);
  const { rows: others } = await sql<{ path_id: number; total: number }>`
    select path_id, count(*) as total
    from path_items
    where company_id = ${tx.company.id} and nested_path_id is null
    group by path_id`.execute(tx.sql);
  const children = new Map<number, number[]>();
  for (const { path_id, nested_path_id } of nested) {
    const known = children.get(path_id);
    if (known === undefined) children.set(path_id, [nested_path_id]);
    else known.push(nested_path_id);
  }
  return checkStructure(children, new Map(others.map(({ path_id, total }) => [path_id, total])));
}

/** Names the place in the file where the first of the paths holds the next one. */
async function toWrong({ spool }: Import, { path_ids, message }: StructureFault): Promise<Error> {
  const check = checker(PathItem);
  let element = 0;
  for await (const values of spool.elements("paths")) {
    for (const value of values) {
      const pointer = `/paths/${element}`;
      const { id, contents } = check(value, pointer);
      const place = path_ids.indexOf(id);
      if (place >= 0) {
        const next = path_ids[(place + 1) % path_ids.length];
        const position = contents.findIndex(
          (item) => (item.resource_type ?? item.type) === "path" && item.id === next,
        );
        return wrong(position < 0 ? `${pointer}/contents` : `${pointer}/contents/${position}/id`, message);
      }
      element += 1;
    }
  }
  return wrong("/paths", message);
}
