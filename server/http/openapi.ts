import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";

/** The version of the document, which is the product's. */
const VERSION = "0.1.0";

/** Serves the OpenAPI document at /openapi.json, made from the schemas that validate and serialise, and /docs. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Lectern API",
        version: VERSION,
        description:
          "The learning management API, in versions 1 and 1.1. Sign in with HTTP Basic: the company's subdomain and an API key.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      components: { securitySchemes: { basic: { type: "http", scheme: "basic" } } },
      security: [{ basic: [] }],
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json["$id"] ?? `schema${i}`) },
  });
  await app.register(swaggerUi, { routePrefix: "/docs", staticCSP: true });
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
}
