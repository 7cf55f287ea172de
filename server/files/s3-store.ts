import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Config } from "../config.ts";
import { exactly } from "./exactly.ts";
import type { ByteRange, Store } from "./store.ts";

/** How long the store may take to connect, and to send or take the next bytes. */
const CONNECT_TIMEOUT_MS = 5_000;
const SOCKET_TIMEOUT_MS = 30_000;

const quiet = (): void => undefined;

type S3Config = Pick<
  Config,
  "s3Endpoint" | "s3Region" | "s3Bucket" | "s3AccessKeyId" | "s3SecretAccessKey" | "s3PathStyle"
>;

/** The store of a bucket of an S3-compatible service. */
export class S3Store implements Store {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(config: S3Config) {
    this.#bucket = config.s3Bucket ?? "";
    this.#client = new S3Client({
      region: config.s3Region,
      forcePathStyle: config.s3PathStyle,
      credentials: {
        accessKeyId: config.s3AccessKeyId ?? "",
        secretAccessKey: config.s3SecretAccessKey ?? "",
      },
      requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: SOCKET_TIMEOUT_MS },
      // It would write to the console, beside the log.
      logger: { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet },
      // Checksums that AWS takes by default are refused by many of the others.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      ...(config.s3Endpoint !== undefined && { endpoint: config.s3Endpoint }),
    });
  }

  async put(key: string, body: Readable, size: number): Promise<void> {
    const cut = new AbortController();
    const sent = new PassThrough();
    const command = new PutObjectCommand({ ...this.#at(key), Body: sent, ContentLength: size });
    let failure: unknown;
    // What fails after the first failure is its echo.
    const fail = (error: unknown): void => {
      failure ??= error;
      cut.abort();
      sent.destroy();
    };
    await Promise.all([
      pipeline(body, exactly(size), sent).catch(fail),
      this.#client.send(command, { abortSignal: cut.signal }).catch(fail),
    ]);
    if (failure === undefined) return;
    // A store keeps nothing of a request that ends early; some do.
    await this.remove(key).catch(() => undefined);
    throw failure;
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    const { Body, ContentLength } = await this.#client.send(
      new GetObjectCommand({
        ...this.#at(key),
        ...(range !== undefined && { Range: `bytes=${range.start}-${range.end}` }),
      }),
    );
    if (!(Body instanceof Readable)) throw new Error(`the store gave no stream for ${key}`);
    if (range === undefined || ContentLength === range.end - range.start + 1) return Body;
    Body.destroy();
    throw new Error(`the store gave other bytes of ${key} than were asked for`);
  }

  async remove(key: string): Promise<void> {
    try {
      await this.#client.send(new DeleteObjectCommand(this.#at(key)));
    } catch (error) {
      if (!(error instanceof NoSuchKey)) throw error;
    }
  }

  async list(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    let token: string | undefined;
    do {
      const page = await this.#client.send(
        new ListObjectsV2Command({
          Bucket: this.#bucket,
          Prefix: prefix,
          ...(token !== undefined && { ContinuationToken: token }),
        }),
      );
      keys.push(...(page.Contents ?? []).flatMap(({ Key }) => Key ?? []));
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return keys;
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: key };
  }
}
