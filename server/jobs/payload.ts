/** The company that a job is for. @throws where it names none. */
export function readCompanyId(payload: unknown): number {
  const id =
    typeof payload === "object" && payload !== null && "company_id" in payload ? payload.company_id : null;
  if (typeof id !== "number") throw new Error("the job names no company");
  return id;
}
