import assert from "node:assert/strict";
import { test } from "node:test";
import { inDocument, makeAjv } from "../test/answer-check.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { countStatements } from "../test/statement-counter.ts";
import { getPath, listPathsInFull } from "./paths.ts";

test("a path is shown with its contents in order: lessons, wait steps, nested paths and placeholders", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await makeOnboarding(lectern);
  const shown = await acme.get("/api/v1/paths/2");
  assert.equal(shown.status, 200);
  assert.deepEqual(shown.body, onboarding);
  assert.deepEqual((await acme.get("/api/v1.1/paths/2")).body, onboarding);
});

test("what a path sends is what its published schema says, and no key more", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await makeOnboarding(lectern);
  const check = makeAjv(lectern).compile(inDocument({ $ref: "#/components/schemas/Path" }));
  for (const answer of [
    await acme.get("/api/v1/paths/1"),
    await acme.get("/api/v1/paths/2"),
    await acme.put("/api/v1/paths/2/archive"),
    await acme.put("/api/v1/paths/2/restore"),
  ]) {
    assert.ok(check(answer.body), JSON.stringify(check.errors));
  }
  const { body } = await acme.get("/api/v1/paths/2");
  assert.ok(!check({ ...body, surplus: 1 }));
  assert.ok(!check({ ...body, contents: [{ ...body.contents[0], surplus: 1 }] }));
});

test("paths are listed whole, the oldest first: version 1 names them, version 1.1 describes them", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  assert.deepEqual((await acme.get("/api/v1/paths")).body, { type: "paths", paths: [] });
  assert.deepEqual((await acme.get("/api/v1.1/paths")).body, { type: "paths", paths: [] });
  await makeOnboarding(lectern);
  const archived = { archived_at: "2021-06-30T22:00:00.123+00:00", archived_by_user_id: 1 };
  assert.deepEqual((await acme.get("/api/v1/paths")).body, {
    type: "paths",
    paths: [
      { id: 1, title: "Basics", ...archived, is_certification: false },
      { id: 2, title: "On-boarding", archived_at: null, archived_by_user_id: null, is_certification: true },
    ],
  });
  const {
    type: _type,
    description: _text,
    enforced_order: _order,
    contents: _contents,
    ...listed
  } = onboarding;
  assert.deepEqual((await acme.get("/api/v1.1/paths")).body, {
    type: "paths",
    paths: [
      {
        resource_type: "path",
        id: 1,
        title: "Basics",
        ...archived,
        public: false,
        created_at: "2015-01-01T00:00:00Z",
        last_updated_at: null,
        published_at: null,
        publisher_id: null,
        tags: [],
        links: {
          overview: "https://lectern.test/paths/1-basics",
          shareable: "https://lectern.test/path/1-basics",
        },
        is_certification: false,
      },
      listed,
    ],
  });
  assert.deepEqual((await globex.get("/api/v1/paths")).body, { type: "paths", paths: [] });
  assert.deepEqual((await globex.get("/api/v1.1/paths")).body, { type: "paths", paths: [] });
});

test("a list of paths costs two statements and a path three, however much is in them", async () => {
  await using lectern = await startServer();
  await makeOnboarding(lectern);
  assert.equal(await countStatements(lectern, lectern.acme, listPathsInFull), 2);
  assert.equal(await countStatements(lectern, lectern.acme, (tx) => getPath(tx, 2)), 3);
});

test("times of a path, and of what is in it, are told in the company's zone", async () => {
  await using lectern = await startServer();
  const york = await lectern.addCompany({ subdomain: "york", time_zone: "America/New_York" });
  const lesson_id = await lectern.make.lesson(york, { archived_at: "2016-10-13 13:34:24.151999+00" });
  await lectern.make.path(york, {
    published_at: "2016-12-13 13:34:24.1+00",
    archived_at: "2016-10-13 13:34:24.151999+00",
    contents: [{ resource_type: "lesson", lesson_id }],
  });
  const { body } = await york.get("/api/v1/paths/1");
  assert.equal(body.published_at, "2016-12-13T08:34:24.100-05:00");
  assert.equal(body.archived_at, "2016-10-13T09:34:24.151-04:00");
  assert.equal(body.contents[0].archived_at, "2016-10-13T09:34:24.151-04:00");
});

test("a path is archived and restored with what is in it left as it is", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await makeOnboarding(lectern);
  const archived = await acme.put("/api/v1/paths/2/archive");
  const { archived_at } = archived.body;
  assert.match(archived_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  assert.deepEqual([archived.status, archived.body], [200, { ...onboarding, archived_at }]);
  const again = await acme.put("/api/v1/paths/2/archive");
  assert.deepEqual([again.status, again.body], [200, archived.body]);
  for (let time = 1; time <= 2; time += 1) {
    const restored = await acme.put("/api/v1/paths/2/restore");
    assert.deepEqual([restored.status, restored.body], [200, onboarding]);
  }
  const deeds = await lectern.database.read(acme.company, (tx) =>
    tx.sql
      .selectFrom("audit_log")
      .select(["action", "resource_id"])
      .where("company_id", "=", tx.company.id)
      .where("resource_type", "=", "path")
      .orderBy("at")
      .execute(),
  );
  assert.deepEqual(deeds, [
    { action: "archive_path", resource_id: 2 },
    { action: "restore_path", resource_id: 2 },
  ]);
});

test("another company's path is not found, as one that is nowhere", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  await makeOnboarding(lectern);
  const answers = [
    await globex.get("/api/v1/paths/2"),
    await globex.put("/api/v1/paths/2/archive"),
    await globex.put("/api/v1/paths/2/restore"),
    await acme.get("/api/v1/paths/3"),
  ];
  for (const { status, body } of answers) {
    const { request_id: _id, ...error } = body;
    assert.deepEqual(error, { type: "error", status: 404, error: "Not Found", message: "Path not found" });
    assert.equal(status, 404);
  }
  assert.equal((await acme.get("/api/v1/paths/0")).status, 400);
  assert.deepEqual((await acme.get("/api/v1/paths/2")).body, onboarding);
});

const onboarding = {
  id: 2,
  type: "path",
  resource_type: "path",
  title: "On-boarding",
  description: "Your first week",
  enforced_order: true,
  public: true,
  created_at: "2016-04-03T14:55:00Z",
  last_updated_at: "2016-05-01T00:00:00Z",
  published_at: "2016-04-04T08:00:00.000+00:00",
  publisher_id: 1,
  tags: [
    { id: 1, resource_type: "tag", name: "Newcomers" },
    { id: 2, resource_type: "tag", name: "Everyone" },
  ],
  links: {
    overview: "https://lectern.test/paths/2-on-boarding",
    shareable: "https://lectern.test/path/2-on-boarding",
  },
  archived_at: null,
  archived_by_user_id: null,
  is_certification: true,
  contents: [
    { resource_type: "lesson", id: 1, title: "Welcome", archived_at: null, archived_by_user_id: null },
    {
      resource_type: "wait_step",
      id: 8,
      effect: "locked",
      condition: "prev_step_finished",
      unit: "days",
      amount: 3,
    },
    {
      resource_type: "path",
      id: 1,
      title: "Basics",
      archived_at: "2021-06-30T22:00:00.123+00:00",
      archived_by_user_id: 1,
      contents: [
        {
          resource_type: "lesson",
          id: 2,
          title: "Fire",
          archived_at: "2021-06-30T22:00:00.000+00:00",
          archived_by_user_id: null,
        },
        { resource_type: "lesson", id: 1, title: "Welcome", archived_at: null, archived_by_user_id: null },
      ],
    },
    { resource_type: "placeholder", id: 9, description: "Meet your mentor" },
    { resource_type: "lesson", id: 1, title: "Welcome", archived_at: null, archived_by_user_id: null },
  ],
};

async function makeOnboarding({ acme, make }: TestServer): Promise<void> {
  const welcome = await make.lesson(acme, { title: "Welcome" });
  const fire = await make.lesson(acme, { title: "Fire", archived_at: "2021-06-30 22:00:00+00" });
  const basics = await make.path(acme, {
    title: "Basics",
    created_at: "2015-01-01 00:00:00+00",
    archived_at: "2021-06-30 22:00:00.123999+00",
    archived_by_user_id: 1,
    contents: [
      { resource_type: "lesson", lesson_id: fire },
      { resource_type: "lesson", lesson_id: welcome },
    ],
  });
  const wait = { effect: "locked", condition: "prev_step_finished", unit: "days", amount: 3 };
  const path = await make.path(acme, {
    title: "On-boarding",
    description: "Your first week",
    enforced_order: true,
    public: true,
    is_certification: true,
    created_at: "2016-04-03 14:55:00.987654+00",
    last_updated_at: "2016-05-01 00:00:00+00",
    published_at: "2016-04-04 08:00:00.0009+00",
    publisher_id: 1,
    contents: [
      { resource_type: "lesson", lesson_id: welcome },
      { resource_type: "wait_step", item_id: 8, ...wait },
      { resource_type: "path", nested_path_id: basics },
      { resource_type: "placeholder", item_id: 9, description: "Meet your mentor" },
      { resource_type: "lesson", lesson_id: welcome },
    ],
  });
  await make.tag(acme, "Newcomers", [{ type: "LearningPaths::Path", id: path }]);
  await make.tag(acme, "Everyone", [{ type: "LearningPaths::Path", id: path }]);
}
