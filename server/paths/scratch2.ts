import fjs from "fast-json-stringify";
import { components } from "../http/features.ts";
import { ref } from "../http/schema.ts";
import { Path, TaggedPathList, ListedPath } from "./schema.ts";
const externalSchema = Object.fromEntries(components.map((c) => [c.$id, c]));
const compiled = fjs(ref(Path), { schema: externalSchema });
// variant: typed as object w/ only required common
const loose = fjs(
  { ...Path, $id: "L", properties: { ...Path.properties, contents: {} } },
  { schema: externalSchema },
);
const lesson = (id) => ({
  id,
  resource_type: "lesson",
  title: `Lesson number ${id} about something`,
  archived_at: null,
  archived_by_user_id: null,
});
const wait = (id) => ({
  id,
  resource_type: "wait_step",
  effect: "locked",
  condition: "prev_step_finished",
  unit: "days",
  amount: 3,
});
const path = (contents) => ({
  id: 3,
  type: "path",
  resource_type: "path",
  title: "A path",
  description: "Somethign",
  enforced_order: true,
  public: false,
  created_at: "2026-11-21T04:37:55Z",
  last_updated_at: null,
  published_at: null,
  publisher_id: null,
  tags: [{ id: 1, resource_type: "tag", name: "x" }],
  links: { overview: "https://lectern.test/paths/3-p3", shareable: "https://lectern.test/paths/3-p3" },
  archived_at: null,
  archived_by_user_id: null,
  is_certification: false,
  contents,
});
const nested = (contents) => ({
  id: 5,
  resource_type: "path",
  title: "nested",
  archived_at: null,
  archived_by_user_id: null,
  contents,
});
const small = path([lesson(1), wait(2), lesson(3), lesson(4)]);
const typical = path([
  ...Array.from({ length: 15 }, (_, i) => (i % 3 ? lesson(i + 1) : wait(i + 1))),
  nested(Array.from({ length: 10 }, (_, i) => lesson(i + 1))),
  { id: 9, resource_type: "placeholder", description: "to come" },
]);
const flat = path(Array.from({ length: 1000 }, (_, i) => lesson(i + 1)));
let deep = [lesson(1)];
for (let i = 0; i < 1000; i++) deep = [nested(deep), lesson(2)];
deep = path(deep);
let d5 = [lesson(1)];
for (let i = 0; i < 5; i++) d5 = [nested(d5), lesson(2), lesson(3), wait(4)];
d5 = path(d5);
for (const [name, body] of Object.entries({ small, typical, flat, d5, deep })) {
  if (compiled(body) !== JSON.stringify(body))
    console.log("differs", compiled(body).slice(0, 300), JSON.stringify(body).slice(0, 300));
  for (const [kind, f] of Object.entries({ compiled, loose, json: JSON.stringify })) {
    const n = name === "deep" ? 20 : name === "flat" ? 500 : 20000;
    for (let i = 0; i < n / 4; i++) f(body);
    const t = performance.now();
    for (let i = 0; i < n; i++) f(body);
    console.log(name, kind, (((performance.now() - t) * 1000) / n).toFixed(1), "us");
  }
}
