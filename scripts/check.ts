import { spawnSync } from "node:child_process";

// What must hold before a change lands, the quickest first. Each prints its own findings.
const checks = [
  ["tsc", "--noEmit", "--project", "."],
  ["oxlint", "--type-aware", "--deny-warnings", "server", "scripts", "bench", "bin"],
  ["oxfmt", "--check", "server", "scripts", "bench", "bin"],
  ["knip"],
  ["node", "scripts/generate.ts", "--check"],
] as const;

let failures = 0;
for (const [command, ...args] of checks) {
  const line = [command, ...args].join(" ");
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  console.log(`${status === 0 ? "ok  " : "FAIL"} ${line}`);
  if (status !== 0) failures += 1;
}
process.exit(failures === 0 ? 0 : 1);
