import { inspect } from "node:util";
import { CommanderError } from "commander";
import { OperatorError } from "./operator-error.ts";
import { makeProgram } from "./program.ts";

/** Exit codes: 1 when it could not be done, 2 when the words of the command are wrong. */
const FAILED = 1;
const MISUSED = 2;

try {
  const program = await makeProgram(process.argv[2]);
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  process.stderr.write(
    error instanceof OperatorError ? `lectern: ${error.message}\n` : `lectern: ${inspect(error)}\n`,
  );
  return FAILED;
}
