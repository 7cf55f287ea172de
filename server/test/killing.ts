import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openEmbedded } from "../db/embedded/embedded.ts";
import { assertCountsOf } from "./counts.ts";
import { basic, removeData, runCommand, type RunningLectern, startLectern } from "./lectern.ts";
import { RepeatedLoad, type Repeats } from "./repeated-load.ts";
import { WriteLoad } from "./write-load.ts";

/** What a round of killing found. It throws when anything is lost, half done or counted wrong. */
export interface Round {
  /** Writes that were answered with a 2xx: all are there. */
  readonly done: number;
  /** Writes that were not: each is there in whole or not at all. */
  readonly unknown: number;
  /** From the kill to the next answered write. */
  readonly awayMs: number;
}

/** Writes that are answered before the kill, and again after it. */
const WRITES = 60;

/** What writes to the demo company. */
interface Ground {
  readonly settings: { readonly DATA_DIR: string };
  readonly company: { readonly id: number; readonly subdomain: string };
  readonly authorization: string;
  readonly lessons: readonly number[];
}

/** A data folder with a demo company, whose server and PostgreSQL are killed while it is written to. */
export class KillGround implements AsyncDisposable {
  readonly #ground: Ground;
  readonly #folder: AsyncDisposable;
  #rounds = 0;

  private constructor(ground: Ground, folder: AsyncDisposable) {
    this.#ground = ground;
    this.#folder = folder;
  }

  /** Makes the folder as a first start does. Dispose it to remove the folder, and what still runs on it. */
  static async make(): Promise<KillGround> {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "lectern-kill-"));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const settings = { DATA_DIR: join(folder, "data") };
    stack.defer(() => removeData(settings.DATA_DIR));
    const made = await makeDemo(settings);
    return new KillGround({ settings, ...made }, stack.move());
  }

  /** `kill -9` of the server under load. Only a start follows: nothing is mended by hand. */
  async killServer(): Promise<Round> {
    await using killed = await startLectern(this.#ground.settings, ["start"]);
    const load = this.#load(killed);
    await load.goesOn(WRITES);
    const killedAt = performance.now();
    await killed.stop("SIGKILL");
    await load.stop();
    await using next = await startLectern(this.#ground.settings, ["start"]);
    const after = this.#load(next);
    await after.goesOn(1);
    const awayMs = Math.round(performance.now() - killedAt);
    await after.goesOn(WRITES);
    await after.stop();
    return { ...(await this.#check([load, after])), awayMs };
  }

  /** `kill -9` of PostgreSQL under load. The same server goes on, and restarts it by itself. */
  async killPostgres(): Promise<Round> {
    await using lectern = await startLectern(this.#ground.settings, ["start"]);
    const load = this.#load(lectern);
    await load.goesOn(WRITES);
    const pidFile = await readFile(
      join(this.#ground.settings.DATA_DIR, "postgres", "postmaster.pid"),
      "utf8",
    );
    const killedAt = performance.now();
    process.kill(Number(pidFile.split("\n")[0]), "SIGKILL");
    await lectern.says(/PostgreSQL has ended unexpectedly/);
    await load.goesOn(1);
    const awayMs = Math.round(performance.now() - killedAt);
    await load.goesOn(WRITES);
    await load.stop();
    return { ...(await this.#check([load])), awayMs };
  }

  /**
   * `kill -9` of the server between a commit and its answer, while it is sent writes under Idempotency-Keys, all of which
   * are then sent again.
   */
  async killAndRepeat(): Promise<Repeats> {
    const { settings, authorization, company } = this.#ground;
    await using killed = await startLectern(settings, ["start"]);
    const load = new RepeatedLoad(killed, authorization);
    await load.reaches(WRITES);
    await this.#asking(({ client }) => load.haltBetween(killed, client, company.id));
    await killed.stop("SIGKILL");
    await load.ends();
    await using next = await startLectern(settings, ["start"]);
    // Awaited here, as the server that is asked lives no longer than this.
    return await this.#asking(async ({ client, url }) => {
      const repeats = await load.repeat(next, client, company.id);
      await assertCountsOf(url, [company]);
      return repeats;
    });
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#folder[Symbol.asyncDispose]();
  }

  #load(lectern: RunningLectern): WriteLoad {
    this.#rounds += 1;
    const name = `load${this.#rounds}`;
    return new WriteLoad(lectern, { ...this.#ground, name });
  }

  #check(loads: readonly WriteLoad[]): Promise<{ done: number; unknown: number }> {
    return this.#asking(async ({ client, url }) => {
      const sum = { done: 0, unknown: 0 };
      for (const load of loads) {
        const { done, unknown } = await load.assertHolds(client, this.#ground.company.id);
        sum.done += done;
        sum.unknown += unknown;
      }
      // Settings of an earlier load are written over.
      await loads.at(-1)?.assertSettingsHold(client, this.#ground.company.id);
      await assertCountsOf(url, [this.#ground.company]);
      return sum;
    });
  }

  /** Asks the database itself. */
  async #asking<T>(ask: (asked: { client: pg.Client; url: string }) => Promise<T>): Promise<T> {
    await using embedded = await openEmbedded(this.#ground.settings.DATA_DIR, "command", () => undefined);
    const { host, port, user, password, database } = embedded.owner;
    const url = `postgres://${user}:${password}@${host}:${port}/${database}`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await ask({ client, url });
    } finally {
      await client.end();
    }
  }
}

/** Lets a first start make the demo company, without a limit for what comes. */
async function makeDemo(settings: Ground["settings"]): Promise<Omit<Ground, "settings">> {
  await using lectern = await startLectern(settings, ["start"]);
  const [, subdomain = "", key = ""] = await lectern.says(/curl -u ([a-z]+):(\S+)/);
  const authorization = basic(subdomain, key);
  const update = `company update --subdomain ${subdomain} --requests-per-minute 100000000 --json`;
  const { id } = JSON.parse((await runCommand(settings, update.split(" "))).stdout);
  const { body } = await lectern.request("/api/v1/lessons", { authorization });
  const active = body.lessons.filter((lesson: Listed) => lesson.archived_at === null);
  await lectern.stop();
  return { company: { id, subdomain }, authorization, lessons: active.map((lesson: Listed) => lesson.id) };
}

interface Listed {
  readonly id: number;
  readonly archived_at: string | null;
}
