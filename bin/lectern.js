#!/usr/bin/env node
// Runs the command line under the Node that the product needs. A machine may have an older one (Node 20
// can't run TypeScript), so the right one comes as an npm package; this file stays plain JavaScript.
import { spawn } from "node:child_process";
import module from "node:module";
import { fileURLToPath } from "node:url";

const LEAST = [24, 12];
// By itself Node 24 gives 128 MiB to new objects, and to the others four times what lives of them: a server that was
// busy once keeps 390 MiB. With these it keeps 190 and answers as fast. Only a new process takes the first of them.
const MEMORY_FLAGS = ["--max-semi-space-size=16", "--heap-growing-percent=100"];
const [major, minor] = process.versions.node.split(".").map(Number);

const isRightNode = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);

// Workers are forked with the flags of the process that watches over them.
if (isRightNode && (process.execArgv.includes(MEMORY_FLAGS[0]) || process.execve === undefined)) {
  await run();
} else if (isRightNode) {
  const args = [...process.execArgv, ...MEMORY_FLAGS, ...process.argv.slice(1)];
  process.execve(process.execPath, [process.execPath, ...args]);
} else {
  const child = spawn(bundledNode(), [...MEMORY_FLAGS, ...process.argv.slice(1)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 128 : 1)));
}

/** Keeps what is compiled for the next start, which then takes half as long and 20 MiB less. */
async function run() {
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/lectern", import.meta.url)));
  await import("../server/main.ts");
}

/** The Node of the npm package for this platform, or a message that says what to do. */
function bundledNode() {
  const name = `node-${process.platform}-${process.arch}`;
  try {
    return module.createRequire(import.meta.url).resolve(`${name}/bin/node`);
  } catch {
    console.error(
      `lectern: Node ${LEAST.join(".")} or newer is needed, this is ${process.versions.node}, and the npm package ${name} is not installed.\n` +
        `Run "npm ci" again without --omit=optional, or install a newer Node.`,
    );
    process.exit(1);
  }
}
