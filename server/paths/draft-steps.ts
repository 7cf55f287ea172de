import { notFound } from "../http/problem.ts";
import type { WriteTx } from "../db/db.ts";
import { checkSteps } from "./check-steps.ts";
import { beginChange, numberSteps, type StoredDraft, writeDraft } from "./drafts.ts";
import { isTheBody, readSteps } from "./read-steps.ts";
import { nameSteps, type Step } from "./steps.ts";
import type { NewStep, StepFields } from "./v2-step-schema.ts";
import type { PathDraft } from "./v2-version-schema.ts";

/** Which step of which path's draft. */
export interface StepPlace {
  readonly path_id: number;
  readonly step_id: string;
}

/**
 * Puts a step into a draft, at its end where the body says no position.
 * @throws Problem 404; 409 for an archived path; 412; 422 for a step that can't be there
 */
export async function addStep(tx: WriteTx, path_id: number, body: NewStep): Promise<PathDraft> {
  const { at, stored } = await beginChange(tx, path_id, body);
  const { position = stored.steps.length, ...given } = body;
  const added = await numberSteps(tx, readSteps([given], [], isTheBody), at);
  const index = Math.min(position, stored.steps.length);
  const steps = stored.steps.toSpliced(index, 0, ...added);
  await check(tx, { stored, steps, index });
  return writeDraft(tx, stored, { steps, at });
}

/**
 * Changes what the body names of a step.
 * @throws Problem 404; 409 for an archived path; 412; 422 for what can't be, and for fields of another type of step
 */
export async function changeStep(tx: WriteTx, place: StepPlace, body: StepFields): Promise<PathDraft> {
  const { at, stored, known } = await beginChange(tx, place.path_id, body);
  const { index, step } = findStep(stored, place);
  const before = step.type === "wait_step" ? toGivenWait(step, body) : step;
  const [read] = readSteps([{ ...before, ...body }], known, isTheBody);
  if (read === undefined) throw notFound("Step");
  const steps = stored.steps.with(index, read.step);
  await check(tx, { stored, steps, index });
  return writeDraft(tx, stored, { steps, at });
}

/** Takes a step out of a draft. @throws Problem 404; 409 for an archived path; 412 */
export async function removeStep(tx: WriteTx, place: StepPlace): Promise<PathDraft> {
  const { at, stored } = await beginChange(tx, place.path_id, {});
  const { index } = findStep(stored, place);
  return writeDraft(tx, stored, { steps: stored.steps.toSpliced(index, 1), at });
}

/** Moves a step to another place in its draft. @throws Problem 404; 409 for an archived path; 412 */
export async function moveStep(
  tx: WriteTx,
  place: StepPlace,
  body: { readonly position: number },
): Promise<PathDraft> {
  const { at, stored } = await beginChange(tx, place.path_id, body);
  const { index, step } = findStep(stored, place);
  const steps = stored.steps.toSpliced(index, 1).toSpliced(body.position, 0, step);
  return writeDraft(tx, stored, { steps, at });
}

function findStep(stored: StoredDraft, { step_id }: StepPlace): { index: number; step: Step } {
  const index = nameSteps(stored.steps).indexOf(step_id);
  const step = stored.steps[index];
  if (step === undefined) throw notFound("Step");
  return { index, step };
}

/** What a wait step would be given as. The fields of the condition that it is changed from go. */
function toGivenWait(
  { type, id, condition, unit, amount, wait_until }: Extract<Step, { type: "wait_step" }>,
  body: StepFields,
) {
  const next = body.condition ?? (condition === "date" ? "date" : "prev_step_finished");
  const known = (["hours", "days", "weeks"] as const).find((name) => name === unit);
  return {
    type,
    id,
    condition: next,
    ...(next === "date" ? { wait_until } : { amount, ...(known && { unit: known }) }),
  };
}

async function check(
  tx: WriteTx,
  {
    stored,
    steps,
    index,
  }: { readonly stored: StoredDraft; readonly steps: readonly Step[]; readonly index: number },
): Promise<void> {
  await checkSteps(tx, {
    path_id: stored.path_id,
    steps,
    kept: stored.steps,
    given: { index, place: isTheBody },
    purpose: "draft",
  });
}
