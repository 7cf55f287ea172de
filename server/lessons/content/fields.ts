import { invalid, Problem } from "../../http/problem.ts";

/** `["blocks", 2, "text"]` → `blocks[2].text` */
export function joinPath(parts: readonly (string | number)[]): string {
  return parts.reduce<string>((path, part) => {
    if (typeof part === "number") return `${path}[${part}]`;
    return path === "" ? part : `${path}.${part}`;
  }, "");
}

/** Puts a field's name before those of the errors that an action throws. */
export function below<T>(at: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const named = error.errors.map(({ field, message }) => ({
      field: [at, field].filter((part) => part !== "").join(".") || "document",
      message,
    }));
    throw invalid(...named);
  }
}
