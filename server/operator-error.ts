/** A mistake that the operator can mend: the command line prints its message, without a stack, and exits with 1. */
export class OperatorError extends Error {
  override name = "OperatorError";
}
