import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { sql } from "kysely";
import type { Database } from "../db/db.ts";
import type { End } from "./watch.ts";

/** From a tenth of a millisecond, what a single row takes, to the time limit of a request. */
const DURATION_BUCKETS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** What is measured of one process. Routes are labelled by their pattern: no id and no company stands in a label. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: "lectern_http_requests_total",
    help: "Requests answered.",
    labelNames: ["method", "route", "status"] as const,
    registers: [this.registry],
  });
  readonly #durations = new Histogram({
    name: "lectern_http_request_duration_seconds",
    help: "Time from a request's first byte to the end of its answer.",
    labelNames: ["method", "route"] as const,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [this.registry],
  });

  constructor(database: Database) {
    collectDefaultMetrics({ register: this.registry });
    this.#gauge(
      "lectern_database_connections_open",
      "Connections to the database.",
      () => database.load.open,
    );
    this.#gauge(
      "lectern_database_connections_idle",
      "Connections that do nothing.",
      () => database.load.idle,
    );
    this.#gauge(
      "lectern_database_waiting",
      "Requests that wait for a connection.",
      () => database.load.waiting,
    );
    this.#gauge(
      "lectern_database_size_bytes",
      "Size of the database on disk.",
      () => databaseSize(database),
      "first",
    );
  }

  /** Counts a request that has ended. */
  note({ method, route, status, ms }: End): void {
    this.#requests.inc({ method, route: route ?? "unknown", status });
    this.#durations.observe({ method, route: route ?? "unknown" }, ms / 1000);
  }

  #gauge(
    name: string,
    help: string,
    value: () => number | Promise<number>,
    aggregator: "sum" | "first" = "sum",
  ): void {
    const collect = async function collect(this: Gauge): Promise<void> {
      try {
        this.set(await value());
      } catch {
        // While the database is away there is no such number, but all the others.
        this.remove();
      }
    };
    this.registry.registerMetric(new Gauge({ name, help, aggregator, registers: [], collect }));
  }
}

async function databaseSize(database: Database): Promise<number> {
  return database.global(async (db) => {
    const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(
      db,
    );
    return rows[0]?.size ?? 0;
  });
}
