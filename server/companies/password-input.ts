import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { OperatorError } from "../operator-error.ts";
import { findPasswordFault } from "../sessions/password-rules.ts";

/** What a shell gives for a command that Ctrl-C has ended. */
const INTERRUPTED = 130;

export interface PasswordOptions {
  readonly adminPassword?: string;
  readonly adminPasswordStdin?: true;
}

/**
 * The password that a command's options give, or standard input, or the person at the terminal.
 * @throws OperatorError when it is soon guessed, or there is nobody to ask.
 */
export async function readPassword({ adminPassword, adminPasswordStdin }: PasswordOptions): Promise<string> {
  const password = adminPassword ?? (adminPasswordStdin ? await readLine() : await askForPassword());
  const fault = findPasswordFault(password);
  if (fault !== undefined) throw new OperatorError(`The password ${fault}.`);
  return password;
}

async function readLine(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, "");
}

async function askForPassword(): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new OperatorError(
      "There is no terminal to ask for the administrator's password: use --admin-password-stdin or --admin-password.",
    );
  }
  process.stderr.write("Password of the administrator: ");
  // A terminal shows what is typed by way of this output.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // The terminal is in raw mode here: Ctrl-C is a key like any other.
  terminal.once("SIGINT", () => process.exit(INTERRUPTED));
  try {
    return await terminal.question("");
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
