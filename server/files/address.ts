import type { Company } from "../companies/companies.ts";
import { forbidden } from "../http/problem.ts";
import type { Depot } from "./depot.ts";

/** An address stays the same for this long, so that a browser keeps what it has; then it holds for as long again. */
const STEP_SECONDS = 3_600;

/** What an address shows: a file, as which of its contents. */
export interface Shown {
  readonly file_id: number;
  readonly variant: string;
}

/** An address that shows a file to whoever has it, for one to two hours. */
export function signedAddress(
  { secrets }: Pick<Depot, "secrets">,
  { company, now }: { readonly company: Company; readonly now: Date },
  { file_id, variant }: Shown,
): string {
  const expires = (Math.floor(now.getTime() / 1000 / STEP_SECONDS) + 2) * STEP_SECONDS;
  const signature = secrets.sign("files", signedText(company, { file_id, variant, expires }));
  const query = new URLSearchParams({ expires: String(expires), signature });
  if (variant !== "original") query.set("size", variant);
  return `${company.base_url}/api/v2/companies/${company.subdomain}/files/${file_id}/content?${query.toString()}`;
}

/**
 * Makes sure that an address was signed here, for this company and file, and still holds.
 * @throws Problem 403
 */
export function checkAddress(
  { secrets }: Pick<Depot, "secrets">,
  { company, now }: { readonly company: Company; readonly now: Date },
  { signature, ...shown }: Shown & { readonly expires: number; readonly signature: string },
): void {
  const isSigned = secrets.isSignedBy("files", signedText(company, shown), signature);
  if (isSigned && shown.expires * 1000 > now.getTime()) return;
  throw forbidden("This address has expired or was changed: ask for the file again to get a new one");
}

function signedText(
  company: Company,
  { file_id, variant, expires }: Shown & { readonly expires: number },
): string {
  return JSON.stringify([company.id, file_id, variant, expires]);
}
