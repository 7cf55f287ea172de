import { setTimeout as sleep } from "node:timers/promises";
import { Pool, types } from "pg";
import { Pool as Sockets } from "undici";
import { toTime } from "./bare-rows.ts";

// What delivering webhooks is measured against: a loop that reads what waits, posts it and notes each as delivered. It
// has no signatures, no log of attempts, no leases that a killed process gives back, no limits and no check of addresses.
// It finds rows by indexes alone, as the service does.

const [url, ...companies] = process.argv.slice(2);
for (const type of [types.builtins.TIMESTAMPTZ, types.builtins.DATE]) types.setTypeParser(type, String);
types.setTypeParser(types.builtins.INT8, Number);
const pool = new Pool({ connectionString: url, max: 10, options: "-c timezone=UTC -c enable_seqscan=off" });

/** As many as the service sends to one endpoint at a time, and takes up at once. */
const WIDTH = 8;
const AT_ONCE = 128;
/** With nothing to do, milliseconds until it looks again. */
const PAUSE_MS = 5;

interface Endpoint {
  readonly company_id: number;
  readonly id: number;
  readonly url: string;
}

interface Delivery {
  readonly id: number;
  readonly type: string;
  readonly occurred_at: string;
  readonly data: string;
  readonly previous: string | null;
}

async function deliverAll(endpoint: Endpoint): Promise<void> {
  const { origin, pathname: path } = new URL(endpoint.url);
  const sockets = new Sockets(origin, { connections: WIDTH });
  for (;;) {
    const waiting = await readWaiting(endpoint);
    if (waiting.length === 0) await sleep(PAUSE_MS);
    const work = async (): Promise<void> => {
      for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
        const headers = {
          "content-type": "application/json",
          "webhook-id": `evt_${endpoint.company_id}_${one.id}`,
        };
        const answer = await sockets.request({ path, method: "POST", headers, body: toBody(one) });
        await answer.body.dump();
        if (answer.statusCode !== 204) throw new Error(`the receiver answered ${answer.statusCode}`);
        await noteDelivered(endpoint, one.id);
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, work));
  }
}

async function readWaiting({ company_id, id }: Endpoint): Promise<Delivery[]> {
  const { rows } = await pool.query<Delivery>({
    name: "waiting",
    text: `select e.id, e.type, e.occurred_at, e.data, e.previous
      from webhook_deliveries d
      join events e on e.company_id = d.company_id and e.id = d.event_id and e.occurred_at = d.occurred_at
      where d.company_id = $1 and d.endpoint_id = $2 and d.status = 'waiting' and d.due_at <= now()
      order by d.due_at, d.event_id limit $3`,
    values: [company_id, id, AT_ONCE],
  });
  return rows;
}

function toBody({ id, type, occurred_at, data, previous }: Delivery): string {
  return `{"id":${id},"type":"${type}","occurred_at":"${toTime(occurred_at)}","data":${data},"previous":${previous}}`;
}

async function noteDelivered({ company_id, id }: Endpoint, event_id: number): Promise<void> {
  await pool.query({
    name: "delivered",
    text: `update webhook_deliveries
      set status = 'delivered', tries = tries + 1, attempts = attempts + 1, due_at = null, delivered_at = now()
      where company_id = $1 and endpoint_id = $2 and event_id = $3`,
    values: [company_id, id, event_id],
  });
}

const { rows: endpoints } = await pool.query<Endpoint>(
  "select company_id, id, url from webhook_endpoints where company_id = any($1::bigint[]) and url is not null",
  [companies],
);
console.log("delivers");
await Promise.all(endpoints.map(deliverAll));
