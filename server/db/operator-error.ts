/** What only the person who runs Lectern can put right. The command line prints the message, without a stack trace. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
