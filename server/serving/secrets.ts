import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { Secrets } from "../secrets.ts";

const KEY_BYTES = 32;

/** The installation's secret: that of the configuration, or one in a file that only this user can read. */
export async function openSecrets({
  secretKey,
  dataDir,
}: Pick<Config, "secretKey" | "dataDir">): Promise<Secrets> {
  if (secretKey !== undefined) return new Secrets(secretKey);
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, "secret.key");
  // Made by whichever process is first: "wx" fails where the file is there.
  await writeFile(file, randomBytes(KEY_BYTES).toString("base64url"), { mode: 0o600, flag: "wx" }).catch(
    () => undefined,
  );
  return new Secrets((await readFile(file, "utf8")).trim());
}
