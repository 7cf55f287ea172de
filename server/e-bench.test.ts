import { test } from "node:test";
import { startServer } from "./test/server.ts";
import { signIn } from "./test/person.ts";
import { teach, trueFalse } from "./test/taught.ts";
test("bench", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const lesson_id = await teach(lectern, acme, { pages: Array.from({ length: 30 }, (_, i) => [trueFalse(`q${i}`)]), public: true });
  const people = []; for (let i = 0; i < 20; i++) people.push(await signIn(lectern, acme));
  const attempts = []; for (const p of people) attempts.push((await p.post("/api/v2/attempts", { lesson_id })).body.id);
  const run = async (name: string, n: number, f: (i: number) => Promise<any>) => {
    const c0 = process.cpuUsage(), t0 = performance.now(); let k = 0;
    await Promise.all(people.map(async (_, w) => { while (k < n) { k++; const a = await f(w); if (a.status !== 200) throw new Error(JSON.stringify(a.body)); } }));
    const c = process.cpuUsage(c0); console.log(name, "cpu ms/req", ((c.user + c.system) / 1000 / n).toFixed(2), "wall ms/req", ((performance.now() - t0) / n).toFixed(2));
  };
  const save = (w: number) => people[w]!.put(`/api/v2/attempts/${attempts[w]}/answers/q${Math.floor(Math.random() * 30)}`, { answer: { value: true } });
  const ping = (w: number) => people[w]!.get(`/api/v2/my/attempts?limit=1`);
  const place = (w: number) => people[w]!.put(`/api/v2/attempts/${attempts[w]}/place`, { page_id: "p1", active_seconds: 1 });
  const mine = (w: number) => people[w]!.get(`/api/v2/my/assignments`);
  await run("warm", 300, save);
  await run("save", 1500, save);
  await run("list", 1500, ping);
  await run("mine", 1500, mine);
  await run("place", 1500, place);
});
