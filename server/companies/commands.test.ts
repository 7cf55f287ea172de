import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Command } from "commander";
import pg from "pg";
import { makeProgram } from "../program.ts";
import { createTestDatabase, type TestDatabase } from "../test/database.ts";
import { type CommandResult, runCommand } from "../test/lectern.ts";
import { tablesInOrderOfDeletion } from "./delete.ts";

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database[Symbol.asyncDispose]());

function lectern(line: string, input = ""): Promise<CommandResult> {
  return runCommand({ DATABASE_URL: database.ownerUrl }, line.split(" "), input);
}

/** Runs a command that must do, and gives what it prints as JSON. */
async function json(line: string, input = "") {
  const { code, stdout, stderr } = await lectern(`${line} --json`, input);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return JSON.parse(stdout);
}

async function makeCompany(subdomain: string) {
  return json(
    `company create --subdomain ${subdomain} --name ${subdomain} --admin-name Ada --admin-email ada@${subdomain}.test --admin-password correct-horse`,
  );
}

async function ask(sql: string, values: unknown[] = []): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text: sql, values, rowMode: "array" })).rows;
  } finally {
    await client.end();
  }
}

test("an operator makes a company, with a password that no other process sees", async () => {
  const made = await json(
    "company create --subdomain piped --name Piped --admin-name Ada --admin-email Ada@piped.test --admin-password-stdin --time-zone Europe/Berlin --requests-per-minute 900 --without-learning-library --without-api",
    "correct horse\n",
  );
  assert.match(made.api_key, /^lectern_[\w-]{43}$/);
  assert.deepEqual(made, {
    company: { id: made.company.id, subdomain: "piped" },
    admin: { id: 1, email: "Ada@piped.test" },
    api_key: made.api_key,
  });
  const listed: { subdomain: string; created_at: string }[] = await json("company list");
  const found = listed.find(({ subdomain }) => subdomain === "piped");
  assert.match(found?.created_at ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual(found, {
    id: made.company.id,
    subdomain: "piped",
    name: "Piped",
    time_zone: "Europe/Berlin",
    requests_per_minute: 900,
    has_api: false,
    has_learning_library: false,
    created_at: found?.created_at,
    users: 1,
  });
});

test("a company is not made by halves: each mistake is named, and nothing is there", async () => {
  const create = "company create --name X --admin-name Ada --admin-email ada@x.test --subdomain";
  const before = await ask("select count(*) from companies");
  const mistakes = [
    { line: `${create} half`, code: 1, says: "--admin-password-stdin" },
    { line: `${create} half --admin-password-stdin`, code: 1, says: "at least 12 characters" },
    { line: `${create} half --admin-password short`, code: 1, says: "at least 12 characters" },
    { line: `${create} Half --admin-password correct-horse`, code: 2, says: "--subdomain" },
    {
      line: `${create} half --admin-password correct-horse --time-zone Mars/X`,
      code: 2,
      says: "--time-zone",
    },
    {
      line: `${create} half --admin-password correct-horse --requests-per-minute 0`,
      code: 2,
      says: "--requests-per-minute",
    },
    { line: "company create --subdomain half", code: 2, says: "--name" },
    { line: "company", code: 2, says: "Usage" },
    { line: "compony", code: 2, says: "compony" },
  ];
  const results = await Promise.all(mistakes.map(({ line }) => lectern(line)));
  for (const [index, { line, code, says }] of mistakes.entries()) {
    const result = results[index];
    assert.equal(result?.code, code, line);
    assert.ok(result.stderr.includes(says), `${line}: ${result.stderr}`);
    assert.equal(result.stdout, "", line);
  }
  assert.deepEqual(await ask("select count(*) from companies"), before);
});

test("a subdomain is given once, also to two that ask for it at the same moment", async () => {
  const line =
    "company create --subdomain wanted --name X --admin-name A --admin-email a@x.test --admin-password correct-horse";
  const results = await Promise.all([lectern(line), lectern(line)]);
  assert.deepEqual(results.map(({ code }) => code).toSorted(), [0, 1]);
  const refused = results.find(({ code }) => code === 1);
  assert.equal(
    refused?.stderr,
    "lectern: The subdomain wanted is taken. Choose another, or see: lectern company list\n",
  );
});

test("an operator changes what they name of a company, and nothing else", async () => {
  const { company } = await makeCompany("changing");
  const [first] = await json("company list").then((all: { subdomain: string }[]) =>
    all.filter(({ subdomain }) => subdomain === "changing"),
  );
  const update = "company update --subdomain changing";
  const steps: [string, object][] = [
    ["--name Renamed --without-api", { name: "Renamed", has_api: false }],
    ["--time-zone Asia/Tokyo --with-api", { time_zone: "Asia/Tokyo", has_api: true }],
    [
      "--requests-per-minute 1000 --without-learning-library",
      { requests_per_minute: 1000, has_learning_library: false },
    ],
    ["--with-learning-library", { has_learning_library: true }],
  ];
  let expected = { ...first };
  for (const [options, change] of steps) {
    expected = { ...expected, ...change };
    assert.deepEqual(await json(`${update} ${options}`), expected);
  }
  const audited = await ask(
    "select before->>'name', after->>'name' from audit_log where company_id = $1 and action = 'update_company' order by at limit 1",
    [company.id],
  );
  assert.deepEqual(audited, [["changing", "Renamed"]]);
  const both = await lectern(`${update} --with-api --without-api`);
  assert.equal(both.code, 2);
  const unknown = await lectern("company update --subdomain nobody --name X");
  assert.deepEqual(unknown, {
    code: 1,
    stdout: "",
    stderr: "lectern: There is no company nobody. See: lectern company list\n",
  });
});

test("a key is shown once, listed without itself, and ended", async () => {
  await makeCompany("keys");
  const made = await json("api-key create --subdomain keys --name Payroll");
  assert.match(made.api_key, /^lectern_/);
  assert.deepEqual(made, {
    id: 2,
    name: "Payroll",
    prefix: made.api_key.slice(0, 12),
    api_key: made.api_key,
  });
  const revoked = await lectern("api-key revoke 2 --subdomain keys");
  assert.deepEqual(revoked, { code: 0, stdout: "Revoked key 2.\n", stderr: "" });
  const again = await lectern("api-key revoke 2 --subdomain keys");
  assert.deepEqual(again, {
    code: 1,
    stdout: "",
    stderr: "lectern: keys has no key 2 in use. See: lectern api-key list\n",
  });
  const [first, second, ...more] = await json("api-key list --subdomain keys");
  assert.deepEqual(more, []);
  assert.equal(first.revoked_at, null);
  assert.deepEqual(second, {
    id: 2,
    name: "Payroll",
    prefix: made.prefix,
    made_by_user_id: null,
    created_at: second.created_at,
    last_used_at: null,
    revoked_at: second.revoked_at,
  });
  assert.match(second.revoked_at, /Z$/);
  const { stdout } = await lectern("api-key list --subdomain keys");
  assert.ok(!stdout.includes(made.api_key) && stdout.includes(made.prefix), stdout);
});

test("a company is deleted with everything of it, and the others are untouched", async () => {
  const { company } = await makeCompany("leaving");
  await makeCompany("staying");
  const tables = await ask(`
    select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`);
  assert.deepEqual(tables.flat().toSorted(), tablesInOrderOfDeletion.toSorted());
  const others = async () => {
    const counts = tables
      .flat()
      .map((table) => `select '${table}', company_id, count(*) from ${table} group by company_id`);
    const rows = await ask(`${counts.join(" union all ")} order by 1, 2`);
    return rows.filter(([, company_id]) => company_id !== String(company.id));
  };
  const before = await others();
  const unsure = await lectern("company delete --subdomain leaving");
  assert.deepEqual(unsure, {
    code: 1,
    stdout: "",
    stderr: "lectern: This deletes leaving with all its people and results. To do it, add --yes.\n",
  });
  assert.deepEqual(await lectern("company delete --subdomain leaving --yes"), {
    code: 0,
    stdout: "Deleted leaving.\n",
    stderr: "",
  });
  for (const table of tables.flat()) {
    const left = await ask(`select count(*) from ${table} where company_id = $1`, [company.id]);
    assert.deepEqual(left, [["0"]], `${table}`);
  }
  for (const table of ["subdomains", "api_key_hashes"]) {
    assert.deepEqual(
      await ask(`select count(*) from ${table} where company = $1`, [company.id]),
      [["0"]],
      table,
    );
  }
  assert.deepEqual(await others(), before);
});

test("every command says how it is used", async () => {
  const { code, stdout, stderr } = await lectern("company --help");
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.ok(stdout.startsWith("Usage: lectern company "), stdout);
  const commands = listCommands(await makeProgram(), []);
  assert.deepEqual(commands.map(({ name }) => name).toSorted(), [
    ...["api-key create", "api-key list", "api-key revoke"],
    ...["company create", "company delete", "company list", "company update"],
    ...["demo", "export", "import", "lesson export", "lesson import", "maintenance", "migrate"],
    ...["serve", "start", "user reset-link", "work"],
  ]);
  for (const { name, command } of commands) {
    assert.ok(command.description().length > 10, name);
    assert.ok(command.helpInformation().startsWith(`Usage: lectern ${name} `), name);
    for (const { long, description } of command.options) assert.ok(description.length > 3, `${name} ${long}`);
    const loaded = listCommands(await makeProgram(name.split(" ")[0]), []);
    assert.ok(loaded.some((one) => one.name === name) && loaded.length < commands.length, name);
  }
});

function listCommands(parent: Command, path: readonly string[]): { name: string; command: Command }[] {
  return parent.commands.flatMap((command) => {
    const words = [...path, command.name()];
    return command.commands.length > 0 ? listCommands(command, words) : [{ name: words.join(" "), command }];
  });
}
