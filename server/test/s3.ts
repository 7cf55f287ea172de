import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { PATIENCE_MS } from "./patience.ts";

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

/** Starts s3rver, as a process of its own, with an empty bucket in a folder. Dispose it to stop it. */
export async function startS3(folder: string): Promise<RunningS3> {
  const program = createRequire(import.meta.url).resolve("s3rver/bin/s3rver.js");
  const where = ["--directory", join(folder, "s3"), "--address", "127.0.0.1", "--port", "0"];
  const child = spawn(process.execPath, [program, "--silent", "--configure-bucket", BUCKET, ...where], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || !child.kill("SIGKILL")) return;
    await once(child, "exit");
  };
  const port = await saidPort(child.stdout);
  if (port === undefined) {
    await stop();
    throw new Error("the S3-compatible server does not start");
  }
  return {
    settings: {
      ...{
        FILES_STORE: "s3",
        S3_ENDPOINT: `http://127.0.0.1:${port}`,
        S3_BUCKET: BUCKET,
        S3_PATH_STYLE: "true",
      },
      // The only key that it knows.
      ...{ S3_ACCESS_KEY_ID: "S3RVER", S3_SECRET_ACCESS_KEY: "S3RVER" },
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** The port that the system has given it, which it says when it listens there; undefined where it ends or says nothing. */
async function saidPort(output: Readable): Promise<string | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    for await (const line of createInterface({ input: output, signal })) {
      const [, port] = /^S3rver listening on [\d.]+:(\d+)$/.exec(line) ?? [];
      if (port !== undefined) return port;
    }
    return undefined;
  } finally {
    output.resume();
  }
}
