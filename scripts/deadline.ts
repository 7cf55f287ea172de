// Preloaded by test.ts into the process of each file of tests: where something of a test that has failed or timed
// out goes on for ever, Node would wait for it for ever.

/** Some twenty times what the longest file takes on an idle machine with two cores. */
const DEADLINE_MS = 20 * 60_000;

setTimeout(() => {
  console.error(`Ended: it still ran after ${DEADLINE_MS / 60_000} minutes.`);
  process.exit(1);
}, DEADLINE_MS).unref();
