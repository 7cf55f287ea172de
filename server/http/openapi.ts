import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance, FastifySchema } from "fastify";
import { describeWebhooks } from "../events/types.ts";
import { isOfVersion2 } from "./versions.ts";

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
          "The learning management API. Versions 1 and 1.1 take HTTP Basic: the company's subdomain and an API key. Version 2 is the whole product, for people who are signed in and for keys.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      components: {
        securitySchemes: {
          basic: { type: "http", scheme: "basic" },
          bearer: { type: "http", scheme: "bearer", description: "An API key." },
          session: {
            type: "apiKey",
            in: "cookie",
            name: "__Host-lectern",
            description: "A person's session.",
          },
        },
      },
      security: [{ basic: [] }],
      webhooks: describeWebhooks(),
    },
    transform: ({ schema, url, route }) => {
      const described = describeFilters(schema);
      if (!isOfVersion2(url)) return { schema: describeErrors(described, "Error#", errorAnswers), url };
      const security =
        route.config?.access === "public" ? [] : [{ bearer: [] }, { session: [] }, { basic: [] }];
      return { schema: { ...describeErrors(described, "Problem#", problemAnswers), security }, url };
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) =>
        typeof json["$id"] === "string" ? json["$id"] : `schema${i}`,
    },
  });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: true,
    // The page asks no other host for anything, the badge of an online validator included.
    uiConfig: { validatorUrl: null },
    transformStaticCSP: (policy) => policy.replaceAll(" validator.swagger.io", ""),
  });
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
}

const errorAnswers = {
  400: "The request is malformed, or a value in it is not acceptable: each field is named.",
  401: "The subdomain or the API key is missing or wrong.",
  403: "The key has no privilege for this, the company's plan lacks the feature, or the rate limit is reached.",
  404: "The resource does not exist in this company.",
  405: "The address does not take this method; Allow says which it takes.",
  406: "A format other than JSON was asked for.",
  500: "Something went wrong on the server's side.",
  503: "Maintenance or overload: try again after Retry-After.",
} as const;

const problemAnswers = {
  ...errorAnswers,
  400: "The request can't be read.",
  401: "Who calls is not said, or not known.",
  403: "The caller lacks the privilege that this needs.",
  409: "The state of things is against it.",
  410: "What was asked for is no longer kept.",
  412: "Somebody has changed it since If-Match was read: both versions are shown.",
  422: "A value is not acceptable: each field is named.",
  429: "The rate limit is reached: try again after Retry-After.",
} as const;

/**
 * Adds the errors that any operation can answer. They are described here and not at the routes, as one function
 * serialises them all: a compiled serialiser for each would make every start a second longer.
 */
function describeErrors(schema: FastifySchema, $ref: string, answers: Record<number, string>): FastifySchema {
  const errors = Object.entries(answers).map(([status, description]) => [status, { description, $ref }]);
  return { ...schema, response: { ...Object(schema.response), ...Object.fromEntries(errors) } };
}

/** Filters whose names hold an id are patterns where they are read; the document names them with a placeholder. */
function describeFilters(schema: FastifySchema | undefined): FastifySchema {
  const { querystring } = schema ?? {};
  if (!isQuery(querystring) || querystring.patternProperties === undefined) return schema ?? {};
  const { patternProperties, ...rest } = querystring;
  const filters = Object.entries(patternProperties).map(([pattern, filter]) => [
    nameOfPattern(pattern),
    filter,
  ]);
  return {
    ...schema,
    querystring: { ...rest, properties: { ...rest.properties, ...Object.fromEntries(filters) } },
  };
}

interface Query {
  readonly properties?: object;
  readonly patternProperties?: Readonly<Record<string, object>>;
}

function isQuery(schema: unknown): schema is Query {
  return typeof schema === "object" && schema !== null;
}

/** `^filter\[custom_user_field\]\[[1-9][0-9]*\]$` → `filter[custom_user_field][<id>]` */
function nameOfPattern(pattern: string): string {
  return pattern.slice(1, -1).replaceAll("\\", "").replaceAll("[1-9][0-9]*", "<id>");
}
