import type { FastifyInstance } from "fastify";
import type { Access } from "./access.ts";
import { methodNotAllowed, notFound, type Problem } from "./problem.ts";

/** An address that the app serves, and by which methods. */
export interface Route {
  readonly url: string;
  readonly pattern: RegExp;
  readonly methods: string[];
}

/** Every address of the app, collected as the features register: for 405, for v1.1, and for the tests that walk them. */
export class RouteTable {
  readonly routes: Route[] = [];
  /** Those that only version 1.1 has: asked for by every request of that version. */
  readonly #ofVersion11: Route[] = [];
  /** What a caller needs, by operation, such as `GET /api/v2/users`. */
  readonly accesses = new Map<string, Access | undefined>();

  collect(app: FastifyInstance): void {
    app.addHook("onRoute", ({ url, method, config }) => {
      // That CORS answers OPTIONS everywhere does not make every address one that exists.
      if (url === "*") return;
      const route = this.routes.find((known) => known.url === url) ?? this.#add(url);
      route.methods.push(...[method].flat());
      for (const each of [method].flat()) this.accesses.set(`${each} ${url}`, config?.access);
    });
  }

  /**
   * The address that answers. Only eight operations have a version 1.1; any other answers under v1.1 as v1 does. The
   * extension `.json` is dropped.
   */
  resolve(method: string, url: string): string {
    const address = url.replace(ORIGIN, "");
    const end = address.includes("?") ? address.indexOf("?") : address.length;
    const plain = normalise(address.slice(0, end) || "/");
    const path = plain.endsWith(".json") ? plain.slice(0, -".json".length) : plain;
    return (plain.startsWith("/api/") ? this.#versioned(method, path) : plain) + address.slice(end);
  }

  #versioned(method: string, path: string): string {
    if (!path.startsWith(VERSION_11)) return path;
    const inVersion1 = path.replace(VERSION_11, "/api/v1/");
    if (this.#ofVersion11.some(({ pattern, methods }) => methods.includes(method) && pattern.test(path)))
      return path;
    return this.routes.some(({ pattern }) => pattern.test(inVersion1)) ? inVersion1 : path;
  }

  /** What to say of an address that no route answers: 405 when it takes another method, 404 otherwise. */
  missing(url: string): Problem {
    const [path = ""] = url.split("?");
    const allowed = this.routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    return allowed.length > 0
      ? methodNotAllowed([...new Set(allowed)].toSorted())
      : notFound("This address is");
  }

  #add(url: string): Route {
    const segments = url.split("/").map((segment) => {
      if (segment === "*") return ".*";
      return segment.startsWith(":") ? "[^/]+" : segment.replaceAll(".", "\\.");
    });
    const route = { url, pattern: new RegExp(`^${segments.join("/")}/?$`), methods: [] };
    this.routes.push(route);
    if (url.startsWith(VERSION_11)) this.#ofVersion11.push(route);
    return route;
  }
}

const VERSION_11 = "/api/v1.1/";

/** The beginning of an address that a client sends whole, as to a proxy (RFC 9112, 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * One way to write a path, so that whoever compares paths compares the same text as the router: what needs no
 * percent-encoding has none (RFC 3986, 6.2.2.2). `%zz` and bytes that are no UTF-8 become text that names nothing, so
 * that the checks run in their usual order.
 */
function normalise(path: string): string {
  if (!path.includes("%")) return path;
  try {
    decodeURIComponent(path);
  } catch {
    return path.replaceAll("%", "%25");
  }
  return path.replaceAll(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : code;
  });
}
