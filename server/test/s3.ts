import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A folder for a test. Dispose it to remove it. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "lectern-files-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** An S3-compatible server, and the settings that let Lectern use it. */
export interface RunningS3 extends AsyncDisposable {
  readonly settings: {
    readonly FILES_STORE: "s3";
    readonly S3_ENDPOINT: string;
    readonly S3_BUCKET: string;
    readonly S3_ACCESS_KEY_ID: string;
    readonly S3_SECRET_ACCESS_KEY: string;
    readonly S3_PATH_STYLE: "true";
  };
}

const BUCKET = "lectern";
/** How long it may take to start. */
const PATIENCE_MS = 120_000;

/** Starts s3rver, as a process of its own, with an empty bucket in a folder. Dispose it to stop it. */
export async function startS3(folder: string): Promise<RunningS3> {
  const program = createRequire(import.meta.url).resolve("s3rver/bin/s3rver.js");
  const port = await freePort();
  const where = ["--directory", join(folder, "s3"), "--address", "127.0.0.1", "--port", String(port)];
  const child = spawn(process.execPath, [program, "--silent", "--configure-bucket", BUCKET, ...where], {
    stdio: "ignore",
  });
  const S3_ENDPOINT = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || !child.kill("SIGKILL")) return;
    await once(child, "exit");
  };
  if (!(await answers(S3_ENDPOINT))) {
    await stop();
    throw new Error("the S3-compatible server does not start");
  }
  return {
    settings: {
      ...{ FILES_STORE: "s3", S3_ENDPOINT, S3_BUCKET: BUCKET, S3_PATH_STYLE: "true" },
      // The only key that it knows.
      ...{ S3_ACCESS_KEY_ID: "S3RVER", S3_SECRET_ACCESS_KEY: "S3RVER" },
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function answers(address: string): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    if (await fetch(address).catch(() => undefined)) return true;
    await sleep(50);
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("no port was given");
  return address.port;
}
