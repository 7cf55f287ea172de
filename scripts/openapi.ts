import { Validator } from "@seriousme/openapi-schema-validator";
import { readConfig } from "../server/config.ts";
import { Database } from "../server/db/db.ts";
import { openDepot } from "../server/files/depot.ts";
import { buildApp } from "../server/http/app.ts";
import { postgresWindows, RateLimiter } from "../server/http/limits.ts";
import { Secrets } from "../server/secrets.ts";
import { Metrics } from "../server/http/metrics.ts";
import { Outgoing } from "../server/webhooks/outgoing.ts";

/**
 * Validates the OpenAPI document of the app against the specification's own schema.
 * @throws Error with the validator's findings.
 */
export async function validateDocument(url: string): Promise<void> {
  const options = {
    url,
    connections: 1,
    pooling: "session",
    statementTimeoutMs: 0,
    clock: () => new Date(),
  } as const;
  await using database = new Database(options);
  await using windows = postgresWindows(new Database(options));
  const metrics = new Metrics(database);
  const secrets = new Secrets("a secret of nobody");
  // Nothing is stored: it makes no folder.
  using files = await openDepot(readConfig(), secrets);
  // Nothing is sent.
  const policy = { allowsHttp: false, allowedNetworks: [] };
  const { app } = await buildApp({
    database,
    limiter: new RateLimiter(windows),
    maintenance: { isOn: false },
    policy,
    outgoing: new Outgoing(policy),
    publicUrl: "https://lectern.example.com",
    trustedProxies: [],
    secrets,
    files,
    allowPlainHttp: true,
    corsOrigins: [],
    logger: false,
    metrics,
    health: { metricsPublic: false, metrics: () => metrics.registry.metrics() },
  });
  await app.ready();
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(app.swagger())));
  await app.close();
  if (!valid) throw new Error(`The OpenAPI document is not valid: ${JSON.stringify(errors, null, 2)}`);
}
