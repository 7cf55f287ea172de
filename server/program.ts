import { Command } from "commander";
import { addBundleCommands } from "./bundle/commands.ts";
import { addCompanyCommands } from "./companies/commands.ts";
import { addLessonCommands } from "./lessons/commands.ts";
import { addSignInCommands } from "./sessions/commands.ts";
import { addServingCommands } from "./serving/commands.ts";

/** Every command of the command line. It throws a CommanderError where commander would end the process. */
export function makeProgram(): Command {
  const program = new Command("lectern")
    .description("An open, self-hosted learning management service")
    .exitOverride()
    .showHelpAfterError("(--help says more)");
  addServingCommands(program);
  addCompanyCommands(program);
  addSignInCommands(program);
  addLessonCommands(program);
  addBundleCommands(program);
  return program;
}
