import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase } from "../server/test/database.ts";
import { basic, runCommand, type RunningLectern, startLectern } from "../server/test/lectern.ts";
import { startS3, temporaryFolder } from "../server/test/s3.ts";

// Uploads 1 GiB to a server of its own process, downloads it again, and measures how far the server's memory grows. With
// the folder, and with an S3-compatible store.
const SIZE = 1_073_741_824;
/** How far it may grow. */
const MOST_GROWTH_MIB = 100;
const MIB = 1_048_576;
const LOOK_EVERY_MS = 20;
/** Parts that a client sends at once. */
const AT_ONCE = 3;
const noise = randomBytes(4 * MIB);

await using folder = await temporaryFolder();
await using s3 = await startS3(folder.path);
await measure("folder", {});
await measure("S3", s3.settings);

async function measure(name: string, settings: Record<string, string>): Promise<void> {
  await using database = await createTestDatabase();
  const all = { ...settings, DATABASE_URL: database.ownerUrl, DATA_DIR: folder.path };
  const authorization = await makeCompany(all);
  await using lectern = await startLectern(all);
  // What a server needs anyway is not counted: it has loaded all that it uses.
  await roundTrip(lectern, { authorization, size: 20 * MIB });
  const before = await readMemoryMib(lectern.pid);
  await using memory = watchMemory(lectern.pid);
  const { uploadMs, downloadMs } = await roundTrip(lectern, { authorization, size: SIZE });
  const growth = memory.mostMib() - before;
  console.log(
    `${name}: ${SIZE / MIB} MiB up in ${(uploadMs / 1000).toFixed(1)} s and down in ${(downloadMs / 1000).toFixed(1)} s; ` +
      `the process had ${before.toFixed(0)} MiB before, at most ${memory.mostMib().toFixed(0)}: ${growth.toFixed(0)} more`,
  );
  assert.ok(growth <= MOST_GROWTH_MIB, `more than ${MOST_GROWTH_MIB} MiB`);
}

async function makeCompany(settings: Record<string, string>): Promise<string> {
  const create =
    "company create --subdomain large --name Large --admin-name Ada --admin-email ada@example.com --json";
  const words = [...create.split(" "), "--requests-per-minute", "1000000", "--admin-password-stdin"];
  const { stdout, stderr } = await runCommand(settings, words, "correct horse battery\n");
  assert.notEqual(stdout, "", stderr);
  return basic("large", JSON.parse(stdout).api_key);
}

async function roundTrip(
  lectern: RunningLectern,
  { authorization, size }: { readonly authorization: string; readonly size: number },
): Promise<{ uploadMs: number; downloadMs: number }> {
  const begunAt = performance.now();
  const url = await upload(lectern, { authorization, size });
  const uploadedAt = performance.now();
  await download(lectern.address + new URL(url).pathname + new URL(url).search, size);
  return { uploadMs: uploadedAt - begunAt, downloadMs: performance.now() - uploadedAt };
}

/** The bytes of a part: those of a video, as far as its first ones tell, and no part is like another. */
function partOf(number: number, size: number): Buffer<ArrayBuffer> {
  const part = Buffer.alloc(size);
  noise.copy(part, 0, 0, size);
  part.writeUInt32BE(number, 64);
  if (number === 1) part.write("\0\0\0\x18ftypisom\0\0\x02\0isomiso2", "latin1");
  return part;
}

async function upload(
  lectern: RunningLectern,
  { authorization, size }: { readonly authorization: string; readonly size: number },
): Promise<string> {
  const body = { name: "large.mp4", size };
  const begun = await lectern.request("/api/v2/uploads", { method: "POST", authorization, body });
  assert.equal(begun.status, 201, JSON.stringify(begun.body));
  const { id, parts, part_size } = begun.body;
  const numbers = Array.from({ length: parts }, (_, index) => index + 1).values();
  const send = async (): Promise<void> => {
    for (const number of numbers) {
      const bytes = partOf(number, Math.min(part_size, size - (number - 1) * part_size));
      const answer = await fetch(`${lectern.address}/api/v2/uploads/${id}/parts/${number}`, {
        method: "PUT",
        headers: { authorization, "content-type": "application/octet-stream" },
        body: bytes,
      });
      assert.equal(answer.status, 200, await answer.text());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  const made = await lectern.request(`/api/v2/uploads/${id}/complete`, { method: "POST", authorization });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal(made.body.size, size);
  return made.body.url;
}

async function download(url: string, size: number): Promise<void> {
  const answer = await fetch(url);
  assert.equal(answer.status, 200);
  const hash = createHash("sha256");
  let came = 0;
  for await (const chunk of answer.body ?? []) {
    hash.update(chunk);
    came += chunk.length;
  }
  assert.equal(came, size);
  assert.equal(`"${hash.digest("hex")}"`, answer.headers.get("etag"));
}

async function readMemoryMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

function watchMemory(pid: number): AsyncDisposable & { mostMib(): number } {
  let most = 0;
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      most = Math.max(most, await readMemoryMib(pid));
      await sleep(LOOK_EVERY_MS);
    }
  };
  const looking = look();
  return {
    mostMib: () => most,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await looking;
    },
  };
}
