import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createTestDatabase } from "../test/database.ts";
import { basic, runCommand, startLectern } from "../test/lectern.ts";
import { PATIENCE_MS, until, pause } from "../test/patience.ts";
import { startServer } from "../test/server.ts";

test("only the machine itself gets the metrics, and no proxy on it for others", async () => {
  await using lectern = await startServer();
  const get = (headers: Record<string, string>, remoteAddress = "127.0.0.1") =>
    lectern.app.inject({ url: "/metrics", headers, remoteAddress });
  assert.equal((await get({})).statusCode, 200);
  assert.equal((await get({}, "::1")).statusCode, 200);
  const fromElsewhere = await get({}, "10.0.0.2");
  assert.equal(fromElsewhere.statusCode, 404);
  assert.deepEqual(fromElsewhere.json(), {
    type: "error",
    status: 404,
    error: "Not Found",
    message: "This address is not found",
    request_id: fromElsewhere.json().request_id,
  });
  assert.equal((await get({ "x-forwarded-for": "10.0.0.2" })).statusCode, 404);
});

test("an operator may show the metrics to every address", async () => {
  await using database = await createTestDatabase();
  await using lectern = await startLectern({ DATABASE_URL: database.ownerUrl, METRICS_PUBLIC: "true" });
  const answer = await fetch(`${lectern.address}/metrics`, { headers: { "x-forwarded-for": "10.0.0.2" } });
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /^process_open_fds \d+$/m);
});

test("it is ready only with a database of its version, and says what is wrong", async () => {
  await using lectern = await startServer();
  const ready = async () => {
    const { statusCode, headers, body } = await lectern.app.inject({ url: "/readyz" });
    return { status: statusCode, retryAfter: headers["retry-after"], body: JSON.parse(body) };
  };
  assert.deepEqual(await ready(), { status: 200, retryAfter: undefined, body: { status: "ready" } });
  await using owner = await connect(lectern.ownerUrl);
  await owner.query("insert into migrations (name, sha256) values ('9999-next-version.sql', '')");
  assert.equal((await ready()).status, 200, "the next version was started beside it");
  const { rows } = await owner.query("delete from migrations where name like '0001%' returning name");
  const missing = `the database lacks ${rows[0]?.name}: run lectern migrate`;
  assert.deepEqual(await ready(), {
    status: 503,
    retryAfter: "5",
    body: { status: "unready", reason: missing },
  });
  await owner.query("drop table migrations");
  const away = { status: "unready", reason: "the database is away" };
  assert.deepEqual(await ready(), { status: 503, retryAfter: "5", body: away });
  assert.equal((await lectern.app.inject({ url: "/healthz" })).body, '{"status":"ok"}');
});

test("a request is one line of the log, and no line holds a secret or what was asked for", async () => {
  await using database = await createTestDatabase();
  const settings = { DATABASE_URL: database.ownerUrl };
  const password = "the-admins-password";
  const create =
    "company create --subdomain acme --name Acme --admin-name Ada --admin-email ada@acme.test --json";
  const made = await runCommand(settings, [...create.split(" "), "--admin-password", password]);
  const { company, api_key } = JSON.parse(made.stdout);
  await using lectern = await startLectern(settings);
  const authorization = basic("acme", api_key);
  const body = { name: "Bodily Secret", email: "bodily@acme.test", role: "learner" };
  const written = await lectern.request("/api/v1/users", { method: "POST", authorization, body });
  await lectern.request("/api/v1/users?filter[email]=queried@acme.test", { authorization });
  await lectern.request(`/api/v1/users/${written.body.id}`, { authorization });
  await lectern.request("/api/v1/users", { authorization: basic("acme", "lectern_wrong-guess") });
  await lectern.request("/nowhere/at-all");
  assert.equal(await lectern.stop(), 0);

  const lines = lectern.lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  const requests = lines.filter(({ msg }) => msg === "request");
  const key = api_key.slice(0, 12);
  const known = { company_id: company.id, key, user_id: null };
  const unknown = { company_id: null, key: null, user_id: null };
  assert.deepEqual(
    requests.map(({ time, request_id, ms, ...rest }) => {
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.match(request_id, /^[\w-]{8}-[a-z0-9]+$/);
      assert.ok(ms > 0 && ms < 60_000, `${ms}`);
      return rest;
    }),
    [
      { level: 30, ...known, method: "POST", route: "/api/v1/users", status: 201, msg: "request" },
      { level: 30, ...known, method: "GET", route: "/api/v1/users", status: 200, msg: "request" },
      { level: 30, ...known, method: "GET", route: "/api/v1/users/:user_id", status: 200, msg: "request" },
      { level: 30, ...unknown, method: "GET", route: "/api/v1/users", status: 401, msg: "request" },
      { level: 30, ...unknown, method: "GET", route: null, status: 404, msg: "request" },
    ],
  );
  assert.equal(requests[0]?.request_id, written.headers["x-request-id"]);
  const log = lectern.lines.join("\n");
  for (const secret of [
    api_key,
    authorization.slice(6),
    password,
    "wrong-guess",
    "odily",
    "queried",
    "at-all",
  ]) {
    assert.ok(!log.includes(secret), secret);
  }
});

test("while the database is away requests are told to come back, and afterwards served by the same process", async () => {
  await using database = await createTestDatabase();
  await using lectern = await startServer();
  const name = new URL(lectern.ownerUrl).pathname.slice(1);
  await using other = await connect(database.ownerUrl);
  await other.query(`alter database ${name} allow_connections false`);
  // Waits until each has ended: one that has not would serve a request, or end in the middle of one, later.
  const end = "select pg_terminate_backend(pid, $2) as ended from pg_stat_activity where datname = $1";
  const first = await other.query(end, [name, PATIENCE_MS]);
  assert.notEqual(first.rowCount, 0);
  // One that ends by itself meanwhile is not said to have been ended: there are none at the next look.
  await until("an end of all", async () => (await other.query(end, [name, PATIENCE_MS])).rowCount === 0);
  const refused = await lectern.acme.get("/api/v1/users");
  assert.equal(refused.status, 503);
  assert.equal(refused.headers["retry-after"], "5");
  assert.deepEqual(refused.body, {
    type: "error",
    status: 503,
    error: "Service Unavailable",
    message: "The service is overloaded or its database is away: try again later",
    request_id: refused.headers["x-request-id"],
  });
  const metrics = await lectern.app.inject({ url: "/metrics" });
  assert.equal(metrics.statusCode, 200);
  assert.doesNotMatch(metrics.body, /^lectern_database_size_bytes \d/m);
  await other.query(`alter database ${name} allow_connections true`);
  await pause(10);
  assert.equal((await lectern.acme.get("/api/v1/users")).status, 200);
});

async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
