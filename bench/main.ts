import assert from "node:assert/strict";
import { Client } from "pg";
import { parseArgs } from "node:util";
import { makeCompanies } from "./companies.ts";
import { openDatabase } from "./database.ts";
import { Load } from "./load.ts";
import { type Bar, makeScenarios, type Scenario } from "./scenarios.ts";
import { residentMemory, type Server, startBare, startOurs, startReceiver, startWorker } from "./servers.ts";
import { printTable, type Row } from "./table.ts";
import { DeliveryBench, setCallback, untilDelivered } from "./webhooks.ts";

// Measures the service against a bare server and against itself, on one database and in one run. Each scenario's two
// sides take turns, so that whatever else the machine does meets both, and the median of the rounds' ratios counts.

const { values: options } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});
const rounds = options.quick ? 3 : 5;
const seconds = options.quick ? 0.7 : 2;
const warmUpSeconds = options.quick ? 0.5 : 2;
const assignments = options.quick ? 100_000 : 1_000_000;
const MOST_MEMORY_MIB = 250;
/** Webhooks that deliveries are measured with, and how many wait for each. */
const ENDPOINTS = 4;
const waitingForEach = options.quick ? 1_000 : 2_500;
const DELIVERIES = "webhooks delivered by 2 workers";

await using database = await openDatabase();
console.log(`Filling the tables: ${assignments} assignments, 100 companies …`);
const companies = await makeCompanies(database.url, assignments);
await using bare = await startBare(database.url, database.folder);
await using ours = await startOurs(database.url, database.folder);
await using receiver = await startReceiver(database.folder);
const servers = { bare, ours };
const client = new Client({ connectionString: database.url });
await client.connect();
await using connection = new AsyncDisposableStack();
connection.defer(() => client.end());
await setCallback({ ours, receiver }, companies.learning);

const rows: Row[] = [];
for (const scenario of makeScenarios(companies)) {
  if (!scenario.name.includes(options.only)) continue;
  rows.push(await measure(scenario));
  console.log(`measured ${scenario.name}`);
}
rows.push(await measureMemory(ours));
if (DELIVERIES.includes(options.only)) rows.push(await measureDeliveries());
printTable(rows);

/** Sees that both sides do the work: the same answers, or as many items. */
async function compareAnswers({ name, isSame }: Scenario, base: Load, measured: Load): Promise<void> {
  const first: unknown = JSON.parse(await base.ask());
  const second: unknown = JSON.parse(await measured.ask());
  if (isSame) assert.deepEqual(second, first, `the servers' answers differ: ${name}`);
  else assert.equal(countItems(second), countItems(first), `the answers are of different length: ${name}`);
}

function countItems(answer: unknown): number {
  const items: unknown[] = Object.values(Object(answer));
  return items.find((value) => Array.isArray(value))?.length ?? 1;
}

async function measure(scenario: Scenario): Promise<Row> {
  const { name, base, measured, bar, connections } = scenario;
  const baseLoad = new Load({ port: servers[base.server].port, requests: base.requests, connections });
  const measuredLoad = new Load({
    port: servers[measured.server].port,
    requests: measured.requests,
    connections,
  });
  await using stack = new AsyncDisposableStack();
  if (scenario.hasWorker) stack.use(await startWorker(database.url, database.folder));
  await compareAnswers(scenario, baseLoad, measuredLoad);
  await baseLoad.run(warmUpSeconds);
  await measuredLoad.run(warmUpSeconds);
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    // What the worker has not sent yet must not slow the other side down.
    if (scenario.hasWorker) await untilDelivered(client, [companies.learning.id]);
    results.push({ base: await baseLoad.run(seconds), measured: await measuredLoad.run(seconds) });
  }
  const ratios = results.map((result) =>
    bar.kind === "speed" ? result.measured / result.base : result.base / result.measured,
  );
  const rates = {
    base: median(results.map((result) => result.base)),
    measured: median(results.map((result) => result.measured)),
  };
  return {
    name,
    base: `${base.server} ${toSpeed(rates.base, bar)}`,
    measured: toSpeed(rates.measured, bar),
    ratio: median(ratios).toFixed(2),
    spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    bar: `${bar.kind === "speed" ? "≥" : "≤"} ${bar.value}${bar.orMs === undefined ? "" : ` or ${bar.orMs} ms`}`,
    isMet: isMet(bar, median(ratios), rates.measured),
  };
}

/** Answers a second; or, where the bar asks for it, how long one takes. */
function toSpeed(rate: number, { orMs }: Bar): string {
  return orMs === undefined ? `${rate.toFixed(0)}/s` : `${(1000 / rate).toFixed(1)} ms`;
}

function isMet({ kind, value, orMs }: Bar, ratio: number, rate: number): boolean {
  if (orMs !== undefined && 1000 / rate <= orMs) return true;
  return kind === "speed" ? ratio >= value : ratio <= value;
}

async function measureDeliveries(): Promise<Row> {
  const ground = { ours, receiver, url: database.url, folder: database.folder };
  await using bench = await DeliveryBench.open(ground, {
    companies: companies.hundred.slice(0, ENDPOINTS),
    perEndpoint: waitingForEach,
  });
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    results.push({ base: await bench.runBare(), measured: await bench.runOurs() });
  }
  const ratios = results.map(({ base, measured }) => measured / base);
  return {
    name: DELIVERIES,
    base: `bare ${median(results.map(({ base }) => base)).toFixed(0)}/s`,
    measured: `${median(results.map(({ measured }) => measured)).toFixed(0)}/s`,
    ratio: median(ratios).toFixed(2),
    spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    bar: "",
    isMet: true,
  };
}

async function measureMemory(server: Server): Promise<Row> {
  const used = await residentMemory(server);
  return {
    name: "memory of the server process",
    base: "",
    measured: `${used.toFixed(0)} MiB`,
    ratio: "",
    spread: "",
    bar: `≤ ${MOST_MEMORY_MIB} MiB`,
    isMet: used <= MOST_MEMORY_MIB,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[middle]];
  return (low + high) / 2;
}
