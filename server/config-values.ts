import { isIP } from "node:net";

// How the values of environment variables are read: each throws an Error whose message says what is wrong with the text.

export function text(given: string): string {
  return given;
}

export function secret(given: string): string {
  if (given.length < 32) throw new Error("must have at least 32 characters");
  return given;
}

export function ipAddress(given: string): string {
  if (given === "localhost") return "127.0.0.1";
  if (isIP(given) === 0) throw new Error("must be an IP address, such as 127.0.0.1 or 0.0.0.0");
  return given;
}

export function integer(least: number, most: number) {
  return (given: string): number => {
    const number = Number(given);
    if (!/^[0-9]+$/.test(given) || number < least || number > most) {
      throw new Error(`must be a whole number from ${least} to ${most}`);
    }
    return number;
  };
}

export function oneOf<const T extends string>(...values: readonly T[]) {
  return (given: string): T => {
    const found = values.find((value) => value === given);
    if (found === undefined) throw new Error(`must be one of ${values.join(", ")}`);
    return found;
  };
}

export function flag(given: string): boolean {
  return oneOf("true", "false")(given) === "true";
}

export function url(...protocols: readonly string[]) {
  return (given: string): string => {
    if (!URL.canParse(given) || !protocols.includes(new URL(given).protocol)) {
      throw new Error(`must be an address that begins with ${protocols.map((p) => `${p}//`).join(" or ")}`);
    }
    return given;
  };
}

export function socketAddress(given: string): string {
  const [, port] = /^[^/:]+:([0-9]{1,5})$/.exec(given) ?? [];
  if (!given.startsWith("/") && (port === undefined || Number(port) > 65_535)) {
    throw new Error("must be host:port, such as 127.0.0.1:3310, or the path of a socket");
  }
  return given;
}

/** The address of a mail server. Without a host it would be taken for this machine, or refused only when all has started. */
export function smtpUrl(given: string): string {
  const checked = url("smtp:", "smtps:")(given);
  if (new URL(checked).hostname === "") {
    throw new Error("must name a mail server, such as smtps://user:password@smtp.example.com");
  }
  return checked;
}

export function postgresUrl(given: string): string {
  return url("postgres:", "postgresql:")(given);
}

export function publicAddress(given: string): string {
  const checked = given.replaceAll("{subdomain}", "subdomain");
  url("http:", "https:")(checked);
  if (/[?#]/.test(given)) throw new Error("must have no query and no fragment");
  return given.replace(/\/+$/, "");
}

/** Names that lead nowhere in the public DNS, or only within a network: no mail server takes a sender there. */
const PRIVATE_NAME =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home\.arpa|test|example|invalid)$/;

/** The sender of mails where none is set: at the public name that the service has; undefined where it has none. */
export function publicSender(publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined) return undefined;
  // Each company has a name of its own below the service's.
  const { hostname } = new URL(publicUrl.replace("{subdomain}.", "").replaceAll("{subdomain}", "subdomain"));
  const isPublic = hostname.includes(".") && isIP(hostname) === 0 && !PRIVATE_NAME.test(hostname);
  return isPublic ? `notifications@${hostname}` : undefined;
}

function list(given: string): string[] {
  return given
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

export function addressList(given: string): string[] {
  const addresses = list(given);
  for (const address of addresses) {
    const [ip = "", bits, more] = address.split("/");
    const most = isIP(ip) === 6 ? 128 : 32;
    const rightBits = bits === undefined || (/^[0-9]+$/.test(bits) && Number(bits) <= most);
    if (isIP(ip) === 0 || !rightBits || more !== undefined) {
      throw new Error(`${address} is no IP address and no CIDR range`);
    }
  }
  return addresses;
}

export function originList(given: string): string[] {
  const origins = list(given);
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new Error(`${origin} is no origin; write it as https://app.example.com`);
    }
  }
  return origins;
}

export function mailAddress(given: string): string {
  if (!/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/.test(given)) {
    throw new Error("must be one address, such as notifications@example.com");
  }
  return given;
}

export function dayList(given: string): number[] {
  return list(given).map(integer(1, 365));
}
