import { inspect } from "node:util";
import { Command, CommanderError } from "commander";
import { addBundleCommands } from "./bundle/commands.ts";
import { addCompanyCommands } from "./companies/commands.ts";
import { OperatorError } from "./config.ts";
import { addServingCommands } from "./serving/commands.ts";

/** Exit codes: 1 when it could not be done, 2 when the words of the command are wrong. */
const FAILED = 1;
const MISUSED = 2;

const program = new Command("lectern")
  .description("An open, self-hosted learning management service")
  .exitOverride()
  .showHelpAfterError("(--help says more)");
addServingCommands(program);
addCompanyCommands(program);
addBundleCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  process.stderr.write(error instanceof OperatorError ? `lectern: ${error.message}\n` : `lectern: ${inspect(error)}\n`);
  return FAILED;
}
