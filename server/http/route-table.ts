import type { FastifyInstance } from "fastify";
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

  collect(app: FastifyInstance): void {
    app.addHook("onRoute", ({ url, method }) => {
      const route = this.routes.find((known) => known.url === url) ?? this.#add(url);
      route.methods.push(...[method].flat());
    });
  }

  /**
   * The address that answers. Only eight operations have a version 1.1; any other answers under v1.1 as v1 does. The
   * extension `.json` is dropped.
   */
  resolve(method: string, url: string): string {
    if (!url.startsWith("/api/")) return url;
    const [path = "", ...query] = url.split("?");
    const plain = escapeMalformed(path).replace(/\.json$/, "");
    const isServed = this.routes.some(({ pattern, methods }) => methods.includes(method) && pattern.test(plain));
    const inVersion1 = plain.replace(/^\/api\/v1\.1\//, "/api/v1/");
    const isKnown = this.routes.some(({ pattern }) => pattern.test(inVersion1));
    return [isServed || !isKnown ? plain : inVersion1, ...query].join("?");
  }

  /** What to say of an address that no route answers: 405 when it takes another method, 404 otherwise. */
  missing(url: string): Problem {
    const [path = ""] = url.split("?");
    const allowed = this.routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    return allowed.length > 0 ? methodNotAllowed([...new Set(allowed)].toSorted()) : notFound("This address is");
  }

  #add(url: string): Route {
    const segments = url.split("/").map((segment) => {
      if (segment === "*") return ".*";
      return segment.startsWith(":") ? "[^/]+" : segment.replaceAll(".", "\\.");
    });
    const route = { url, pattern: new RegExp(`^${segments.join("/")}/?$`), methods: [] };
    this.routes.push(route);
    return route;
  }
}

/** `%zz` and bytes that are no UTF-8 become text that names nothing, so that the checks run in their usual order. */
function escapeMalformed(path: string): string {
  if (!path.includes("%")) return path;
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return path.replaceAll("%", "%25");
  }
}
