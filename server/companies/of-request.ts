import type { FastifyRequest } from "fastify";
import type { Database } from "../db/db.ts";
import { notFound } from "../http/problem.ts";
import { type Company, findCompanyBySubdomain, isSubdomain } from "./companies.ts";

/**
 * The company of a request that nobody has signed in for: its address names it (`/api/v2/companies/acme/…`), or the
 * host does where every company has one (PUBLIC_URL with `{subdomain}`).
 * @throws Problem 404
 */
export async function companyOfPublicRequest(
  { database, publicUrl }: { readonly database: Database; readonly publicUrl: string },
  request: FastifyRequest,
): Promise<Company> {
  const subdomain = subdomainOfPath(request.params) ?? subdomainOfHost(request.host, publicUrl);
  const name = subdomain?.toLowerCase() ?? "";
  // PostgreSQL takes not every text that an address can hold.
  const company = isSubdomain(name) ? await findCompanyBySubdomain(database, name, publicUrl) : undefined;
  if (company === undefined) throw notFound("Company");
  return company;
}

function subdomainOfPath(params: unknown): string | undefined {
  if (typeof params !== "object" || params === null || !("subdomain" in params)) return undefined;
  return String(params.subdomain);
}

function subdomainOfHost(host: string, publicUrl: string): string | undefined {
  if (!publicUrl.includes("{subdomain}")) return undefined;
  const [before = "", after = ""] = new URL(publicUrl.replace("{subdomain}", "subdomain-")).host.split(
    "subdomain-",
  );
  const isOurs =
    host.startsWith(before) && host.endsWith(after) && host.length > before.length + after.length;
  return isOurs ? host.slice(before.length, host.length - after.length) : undefined;
}
