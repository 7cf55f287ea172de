import { Command } from "commander";

interface Family {
  /** The first words of its commands. */
  readonly words: readonly string[];
  readonly load: () => Promise<(program: Command) => void>;
}

const families: readonly Family[] = [
  {
    words: ["start", "serve", "work"],
    load: async () => (await import("./serving/commands.ts")).addServingCommands,
  },
  {
    words: ["migrate", "demo", "maintenance"],
    load: async () => (await import("./serving/database-commands.ts")).addDatabaseCommands,
  },
  {
    words: ["company", "api-key"],
    load: async () => (await import("./companies/commands.ts")).addCompanyCommands,
  },
  { words: ["user"], load: async () => (await import("./sessions/commands.ts")).addSignInCommands },
  { words: ["lesson"], load: async () => (await import("./lessons/commands.ts")).addLessonCommands },
  { words: ["import", "export"], load: async () => (await import("./bundle/commands.ts")).addBundleCommands },
];

/**
 * The command line, which throws a CommanderError where commander would end the process.
 * @param word the first word of the command that is to run: only its family is loaded, as all of Lectern takes longer
 * to load than most commands to run. Any other, such as --help, has all commands.
 */
export async function makeProgram(word?: string): Promise<Command> {
  const program = new Command("lectern")
    .description("An open, self-hosted learning management service")
    .exitOverride()
    .showHelpAfterError("(--help says more)");
  const wanted = families.filter(({ words }) => word !== undefined && words.includes(word));
  for (const { load } of wanted.length > 0 ? wanted : families) (await load())(program);
  return program;
}
