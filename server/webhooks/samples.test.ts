import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { skipWithoutOpenssl } from "../test/certificates.ts";
import { makeSecret, signatureHeaders } from "./signing.ts";

// The samples of docs/webhooks.md are run as a reader would, each in its own language.

const secret = makeSecret();
const body = '{"id":"evt_1_1","data":{"title":"Brandschutz für Überflieger ✓"}}';
const signed = { id: "evt_1_1", at: new Date(), body };
/** While a secret is replaced there are two signatures, and either is enough. */
const genuine = signatureHeaders(signed, [makeSecret(), secret]);
const requests: readonly (readonly [string, object, boolean])[] = [
  ["genuine", { headers: genuine, body }, true],
  ["another body", { headers: genuine, body: body.replace("1_1", "1_2") }, false],
  ["another secret", { headers: signatureHeaders(signed, [makeSecret()]), body }, false],
  [
    "too old",
    { headers: signatureHeaders({ ...signed, at: new Date(Date.now() - 301_000) }, [secret]), body },
    false,
  ],
];

/** Says "true" or "false" of what is in REQUEST, by the sample before it. */
const asking = {
  js: {
    run: [process.execPath, "--input-type=module", "--eval"],
    ask: "const { headers, body } = JSON.parse(process.env.REQUEST); console.log(isGenuine(process.env.SECRET, headers, body));",
  },
  python: {
    run: ["python3", "-c"],
    ask: `import json, os
given = json.loads(os.environ["REQUEST"])
print(str(is_genuine(os.environ["SECRET"], given["headers"], given["body"].encode())).lower())`,
  },
  ruby: {
    run: ["ruby", "-e"],
    ask: `require "json"
given = JSON.parse(ENV["REQUEST"])
puts genuine?(ENV["SECRET"], given["headers"], given["body"])`,
  },
} as const;

for (const [language, { run, ask }] of Object.entries(asking)) {
  const [program, ...options] = run;
  test(`the sample in ${language} tells what is genuine`, async (t) => {
    if (spawnSync(program, ["--version"]).error) return t.skip(`${program} is not installed`);
    const sample = await sampleIn(language);
    for (const [name, request, expected] of requests) {
      const { stdout, stderr } = spawnSync(program, [...options, `${sample}\n${ask}`], {
        env: { ...process.env, LANG: "C.UTF-8", SECRET: secret, REQUEST: JSON.stringify(request) },
        encoding: "utf8",
      });
      assert.equal(stdout.trim(), String(expected), `${name}: ${stderr}`);
    }
  });
}

test("the sample for a shell makes the signature", { skip: skipWithoutOpenssl }, async () => {
  const { stdout } = spawnSync("sh", ["-c", await sampleIn("sh")], {
    env: { ...process.env, secret, id: genuine["webhook-id"], at: genuine["webhook-timestamp"], body },
    encoding: "utf8",
  });
  assert.ok(genuine["webhook-signature"].split(" ").includes(`v1,${stdout.trim()}`), stdout);
});

/** The sample of a language: the one with the key that the secret is read into. */
async function sampleIn(language: string): Promise<string> {
  const text = await readFile(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
  const samples = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"));
  const [, sample] = [...samples].find(([, code = ""]) => /\bkey\b.*=/.test(code)) ?? [];
  assert.ok(sample, `docs/webhooks.md has a sample in ${language}`);
  return sample;
}
