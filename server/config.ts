import {
  addressList,
  dayList,
  flag,
  integer,
  ipAddress,
  mailAddress,
  oneOf,
  originList,
  postgresUrl,
  publicAddress,
  publicSender,
  secret,
  smtpUrl,
  socketAddress,
  text,
  url,
} from "./config-values.ts";
import { OperatorError } from "./operator-error.ts";

interface Variable<T> {
  readonly name: string;
  /** What may stand there, in words for the table in docs/operating.md. */
  readonly type: string;
  readonly default: string | undefined;
  readonly meaning: string;
  /** Gives the value, or throws an Error whose message says what is wrong with the text. */
  readonly read: (text: string | undefined) => T;
}

/** Every environment variable that Lectern reads; nothing else reads process.env. */
export const variables = {
  host: variable("HOST", "an IP address", "127.0.0.1", "The address to listen on.", ipAddress),
  port: variable("PORT", "0–65535", "4000", "The port to listen on; 0 takes a free one.", integer(0, 65_535)),
  dataDir: variable(
    "DATA_DIR",
    "a folder",
    "./data",
    "Where the embedded database and all other files lie.",
    text,
  ),
  databaseUrl: optional(
    "DATABASE_URL",
    "postgres://…",
    "A PostgreSQL 15–18 to use in place of the embedded one.",
    postgresUrl,
  ),
  databaseOwnerUrl: optional(
    "DATABASE_OWNER_URL",
    "postgres://…",
    "The same database as the role that owns the tables, for migrations and commands. Needed when DATABASE_URL signs in as a role that does not own them, or leads to a pooler.",
    postgresUrl,
  ),
  databaseConnections: variable(
    "DATABASE_CONNECTIONS",
    "1–1000",
    "10",
    "The most connections that one process opens to the database.",
    integer(1, 1000),
  ),
  databasePooling: variable(
    "DATABASE_POOLING",
    "`session` or `transaction`",
    "session",
    "`transaction` behind a transaction pooler (PgBouncer) and on Citus: the company is then set anew in each transaction.",
    oneOf("session", "transaction"),
  ),
  redisUrl: optional(
    "REDIS_URL",
    "redis://…",
    "A Redis or Valkey that counts requests for the rate limit in place of PostgreSQL.",
    url("redis:", "rediss:"),
  ),
  publicUrl: optional(
    "PUBLIC_URL",
    "http(s)://…",
    "The address in the links of answers. `{subdomain}` in it stands for the company's. Default: the address that it listens on.",
    publicAddress,
  ),
  workers: variable(
    "WORKERS",
    "1–256",
    "1",
    "How many processes serve requests on the one port.",
    integer(1, 256),
  ),
  tlsCertFile: optional("TLS_CERT_FILE", "a file", "The TLS certificate with its chain, PEM.", text),
  tlsKeyFile: optional("TLS_KEY_FILE", "a file", "The private key of the TLS certificate, PEM.", text),
  trustedProxies: variable(
    "TRUSTED_PROXIES",
    "addresses or CIDR ranges, with commas",
    "",
    "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.",
    addressList,
  ),
  allowPlainHttp: variable(
    "ALLOW_PLAIN_HTTP",
    "`true` or `false`",
    "false",
    "Serve plain HTTP on an address that is not loopback. Keys then travel readable: only for a closed network.",
    flag,
  ),
  corsOrigins: variable(
    "CORS_ORIGINS",
    "origins, with commas",
    "",
    "Web origins that may call the API from a browser. None: CORS is off.",
    originList,
  ),
  secretKey: optional(
    "SECRET_KEY",
    "at least 32 characters",
    "Seals what must be read again and signs addresses of files; the same on every node. Default: a key made in `DATA_DIR/secret.key`.",
    secret,
  ),
  metricsPublic: variable(
    "METRICS_PUBLIC",
    "`true` or `false`",
    "false",
    "Serve `/metrics` to every address. Otherwise only requests from the machine itself get it.",
    flag,
  ),
  filesStore: variable(
    "FILES_STORE",
    "`folder` or `s3`",
    "folder",
    "Where uploaded files lie: in `DATA_DIR/files`, which all processes must share, or in an S3-compatible store.",
    oneOf("folder", "s3"),
  ),
  s3Endpoint: optional(
    "S3_ENDPOINT",
    "http(s)://…",
    "The address of the S3-compatible store. Default: that of AWS for the region.",
    url("http:", "https:"),
  ),
  s3Region: variable("S3_REGION", "a region", "us-east-1", "The region of the store.", text),
  s3Bucket: optional("S3_BUCKET", "a name", "The bucket for files. It stays private.", text),
  s3AccessKeyId: optional("S3_ACCESS_KEY_ID", "a key's id", "The key to the store.", text),
  s3SecretAccessKey: optional("S3_SECRET_ACCESS_KEY", "a secret", "The secret of that key.", text),
  s3PathStyle: variable(
    "S3_PATH_STYLE",
    "`true` or `false`",
    "false",
    "Name the bucket in the path and not in the host's name, as most stores other than AWS want it.",
    flag,
  ),
  mostFileMib: variable(
    "MOST_FILE_MIB",
    "1–51200",
    "2048",
    "The largest file that can be uploaded, in MiB.",
    integer(1, 51_200),
  ),
  filesQuotaGib: variable(
    "FILES_QUOTA_GIB",
    "1–1000000",
    "100",
    "What the files of one company may take together, in GiB.",
    integer(1, 1_000_000),
  ),
  clamdAddress: optional(
    "CLAMD_ADDRESS",
    "host:port or a socket's path",
    "A ClamAV daemon that every uploaded file is shown to. While it is away no upload can be completed.",
    socketAddress,
  ),
  eventsKeptDays: variable(
    "EVENTS_KEPT_DAYS",
    "7–3650",
    "90",
    "For how many days the change feed goes back. Whole months are forgotten at a time.",
    integer(7, 3650),
  ),
  webhookAllowedNetworks: variable(
    "WEBHOOK_ALLOWED_NETWORKS",
    "addresses or CIDR ranges, with commas",
    "",
    "Private networks that webhooks may go to, also by plain HTTP. A server on loopback may always reach its own machine.",
    addressList,
  ),
  webhookProxyUrl: optional(
    "WEBHOOK_PROXY_URL",
    "http://…",
    "A proxy that webhooks go through. Names are still looked up and checked here, and the proxy is given the address; no other proxy variable is obeyed.",
    url("http:"),
  ),
  smtpUrl: optional(
    "SMTP_URL",
    "smtp(s)://…",
    "The server that takes mails, such as `smtps://user:password@smtp.example.com`. Without it they are written into `DATA_DIR/mail`.",
    smtpUrl,
  ),
  mailFrom: optional(
    "MAIL_FROM",
    "an address",
    "The fixed sender of all mails. Default: `notifications` at the host of `PUBLIC_URL`; where that has no public name, `notifications@localhost`, which few servers take.",
    mailAddress,
  ),
  mailPerSecond: variable(
    "MAIL_PER_SECOND",
    "1–1000",
    "10",
    "How many mails go out in a second at most, from all processes together.",
    integer(1, 1000),
  ),
  mailDueSoonDays: variable(
    "MAIL_DUE_SOON_DAYS",
    "days, with commas",
    "7,1",
    "How many days before its due date an assignment is brought to mind.",
    dayList,
  ),
  logLevel: variable(
    "LOG_LEVEL",
    "`debug`, `info`, `warn`, `error` or `silent`",
    "info",
    "The least level that is logged, as one JSON object a line on standard output.",
    oneOf("debug", "info", "warn", "error", "silent"),
  ),
} as const;

type Values = { readonly [K in keyof typeof variables]: ReturnType<(typeof variables)[K]["read"]> };

export interface Config extends Omit<Values, "mailFrom"> {
  readonly mailFrom: string;
}

/** The sender of mails where none is configured and the service has no public name: for a folder, or a server of one's own. */
export const SENDER_OF_NOBODY = "notifications@localhost";

/** Variables whose value may hold a password or a key: what is wrong with one is said without it. */
const HOLDS_SECRETS = /(?<!PUBLIC)_(URL|KEY)$/;

/**
 * Reads the configuration.
 * @param given values that a command's options set over the environment's, by the variable's name.
 * @throws OperatorError naming each variable whose value is wrong.
 */
export function readConfig(given: Readonly<Record<string, string | undefined>> = {}): Config {
  const env = { ...process.env, ...given };
  const problems: string[] = [];
  const value = <T>(of: Variable<T>): T => {
    const set = env[of.name];
    try {
      return of.read(set === undefined || set === "" ? of.default : set);
    } catch (error) {
      const shown = HOLDS_SECRETS.test(of.name) ? of.name : `${of.name}=${set ?? ""}`;
      problems.push(`${shown}: ${error instanceof Error ? error.message : String(error)}`);
      return of.read(of.default);
    }
  };
  const values: Values = {
    host: value(variables.host),
    port: value(variables.port),
    dataDir: value(variables.dataDir),
    databaseUrl: value(variables.databaseUrl),
    databaseOwnerUrl: value(variables.databaseOwnerUrl),
    databaseConnections: value(variables.databaseConnections),
    databasePooling: value(variables.databasePooling),
    redisUrl: value(variables.redisUrl),
    publicUrl: value(variables.publicUrl),
    workers: value(variables.workers),
    tlsCertFile: value(variables.tlsCertFile),
    tlsKeyFile: value(variables.tlsKeyFile),
    trustedProxies: value(variables.trustedProxies),
    allowPlainHttp: value(variables.allowPlainHttp),
    corsOrigins: value(variables.corsOrigins),
    secretKey: value(variables.secretKey),
    metricsPublic: value(variables.metricsPublic),
    filesStore: value(variables.filesStore),
    s3Endpoint: value(variables.s3Endpoint),
    s3Region: value(variables.s3Region),
    s3Bucket: value(variables.s3Bucket),
    s3AccessKeyId: value(variables.s3AccessKeyId),
    s3SecretAccessKey: value(variables.s3SecretAccessKey),
    s3PathStyle: value(variables.s3PathStyle),
    mostFileMib: value(variables.mostFileMib),
    filesQuotaGib: value(variables.filesQuotaGib),
    clamdAddress: value(variables.clamdAddress),
    eventsKeptDays: value(variables.eventsKeptDays),
    webhookAllowedNetworks: value(variables.webhookAllowedNetworks),
    webhookProxyUrl: value(variables.webhookProxyUrl),
    smtpUrl: value(variables.smtpUrl),
    mailFrom: value(variables.mailFrom),
    mailPerSecond: value(variables.mailPerSecond),
    mailDueSoonDays: value(variables.mailDueSoonDays),
    logLevel: value(variables.logLevel),
  };
  const mailFrom = values.mailFrom ?? publicSender(values.publicUrl);
  problems.push(...contradictions(values));
  if (problems.length > 0) throw new OperatorError(problems.join("\n"));
  return { ...values, mailFrom: mailFrom ?? SENDER_OF_NOBODY };
}

/** What is wrong with variables that are right each by itself. */
function contradictions(config: Values): string[] {
  const problems: string[] = [];
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined)) {
    problems.push("TLS_CERT_FILE and TLS_KEY_FILE belong together: set both or none");
  }
  if (config.databaseOwnerUrl !== undefined && config.databaseUrl === undefined) {
    problems.push("DATABASE_OWNER_URL: set DATABASE_URL too");
  }
  const s3 = [config.s3Bucket, config.s3AccessKeyId, config.s3SecretAccessKey];
  if (config.filesStore === "s3" && s3.includes(undefined)) {
    problems.push("FILES_STORE=s3: set S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY too");
  }
  return problems;
}

function variable<T>(
  name: string,
  type: string,
  byDefault: string,
  meaning: string,
  parse: (text: string) => T,
): Variable<T> {
  return { name, type, default: byDefault, meaning, read: (given) => parse(given ?? byDefault) };
}

function optional<T>(
  name: string,
  type: string,
  meaning: string,
  parse: (text: string) => T,
): Variable<T | undefined> {
  return {
    name,
    type,
    default: undefined,
    meaning,
    read: (given) => (given === undefined ? undefined : parse(given)),
  };
}
