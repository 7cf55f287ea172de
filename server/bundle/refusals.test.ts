import assert from "node:assert/strict";
import { test } from "node:test";
import { exportText, importInto, least, refusalOf } from "../test/bundles.ts";
import { startServer } from "../test/server.ts";
import { importBundle } from "./import.ts";
import { parts } from "./parts.ts";

const user = least.user(20);
const lesson = least.lesson(3);
const path = { assignable_type: "LearningPaths::Path", assignable_id: 5 };
const many = Array.from({ length: 3_000 }, (_, index) => least.user(100 + index));
const lessonIn = (id: number) => ({ resource_type: "lesson", id });
const pathIn = (id: number) => ({ resource_type: "path", id });

/** What is no JSON, or no bundle, and what is said of it. */
const unreadable: readonly (readonly [text: string, message: string])[] = [
  ["", "the file ends here: it is cut off"],
  ["[]", "a bundle is one JSON object"],
  ["17\n", "a bundle is one JSON object"],
  ["hello", 'is not JSON: Unexpected "h" at byte 0'],
  ['{"users": [{"id": 1}, {"id": 2', "/users/1: the file ends here: it is cut off"],
  ['{"users": [{"id": 1}, {"id" 2}]}', "/users/1: is not JSON: Unexpected NUMBER (2)"],
  ['{"users": [], }', 'is not JSON: Unexpected RIGHT_BRACE ("}")'],
  ['{"users": []} {}', 'is not JSON: Unexpected "{" at byte 14'],
  ['{"users": [,]}', '/users/0: is not JSON: Unexpected COMMA (",")'],
  ['{"asignments": []}', `/asignments: is no part of a bundle; its parts are company, ${parts.join(", ")}`],
  ['{"a/b~c": 1}', `/a~1b~0c: is no part of a bundle; its parts are company, ${parts.join(", ")}`],
  ['{"users": [], "users": []}', "/users: stands in the file twice"],
  ['{"users": null}', "/users: must be an array"],
  ['{"users": {"0": {}}}', "/users: must be an array"],
  ['{"company": []}', "/company: must be an object"],
  ['{"lectern_bundle": 2}', "/lectern_bundle: must be 1: this version reads no other format"],
  [`{"users": [${"[".repeat(5_000)}`, "/users/0: is nested deeper than 4096 levels"],
  ['{"users": [{"id": 1e400}]}', "/users/0: holds 1e400, which is beyond all numbers"],
];

/** A bundle with one wrong value, and what is said of it. */
const wrong: readonly (readonly [bundle: object, message: string])[] = [
  [{ users: [17] }, "/users/0: must be an object"],
  [{ users: [{ ...user, id: undefined }] }, "/users/0/id: is required"],
  [{ users: [{ ...user, id: "20" }] }, "/users/0/id: must be an integer"],
  [{ users: [{ ...user, id: -1 }] }, "/users/0/id: must be a positive integer"],
  [{ users: [{ ...user, id: 1.5 }] }, "/users/0/id: must be an integer"],
  [{ users: [{ ...user, id: 2 ** 53 }] }, "/users/0/id: must be at most 9000000000000000"],
  [
    { users: [{ ...user, name: " Ada" }] },
    "/users/0/name: can't begin with a space, and can't hold any of ! @ # $ % ^ & * + = ( ) | [ ] ; `",
  ],
  [{ users: [{ ...user, name: "x".repeat(256) }] }, "/users/0/name: can have at most 255 characters"],
  [
    { users: [{ ...user, email: "nobody" }] },
    "/users/0/email: must be an address: one @ with something before and after it, and no spaces",
  ],
  [{ users: [{ ...user, role_id: 33 }] }, "/users/0/role_id: names no role of the file or the company"],
  [
    { users: [{ ...user, locale: "tlh" }] },
    "/users/0/locale: must be one of ar, de, en, es, fr, it, ja, nl, pt, ru, sv, zh-CN",
  ],
  [
    { users: [{ ...user, hire_date: "2026-02-30" }] },
    "/users/0/hire_date: must be a date that exists, written YYYY-MM-DD",
  ],
  [
    { users: [{ ...user, archived_at: "yesterday" }] },
    "/users/0/archived_at: must be a date or an ISO 8601 timestamp, such as 2026-12-31 or 2026-12-31T09:00:00Z",
  ],
  [
    { users: [{ ...user, name: "a\0b" }] },
    "/users/0/name: holds a character that no text has (NUL or half of a pair)",
  ],
  [
    { users: [{ ...user, email: "a\ud83d@example.com" }] },
    "/users/0/email: holds a character that no text has (NUL or half of a pair)",
  ],
  [
    { users: [{ ...user, job_title: "a\0b" }] },
    "/users/0/job_title: holds a character that no text has (NUL or half of a pair)",
  ],
  [
    { users: [{ ...user, job_title: "\ud83d" }] },
    "/users/0/job_title: holds a character that no text has (NUL or half of a pair)",
  ],
  [
    { users: [user, least.user(21), { ...user, email: "b@example.com" }] },
    "/users/2/id: is taken by another user, of the company or of the file",
  ],
  [
    { users: [user, { ...least.user(21), email: "PERSON.20@example.com" }] },
    "/users/1/email: is another user's e-mail",
  ],
  [
    {
      users: [
        { ...user, ext_uid: "E" },
        { ...least.user(21), ext_uid: "E" },
      ],
    },
    "/users/1/ext_uid: is another user's ext_uid",
  ],
  [
    { users: [{ ...user, custom_user_field_data: [{ id: 1, custom_user_field_id: 7, value: "" }] }] },
    "/users/0/custom_user_field_data/0/custom_user_field_id: names no custom user field of the file or the company",
  ],
  [
    {
      users: [
        {
          ...user,
          library_uses: [{ assignable_type: "Lesson", assignable_id: 3, views: 1, completions: 0 }],
        },
      ],
    },
    "/users/0/library_uses/0/assignable_id: names no lesson, path or course of the file or the company",
  ],
  // The batch before is being written while the wrong value is read: what comes first in the file is told first.
  [
    { users: [...many, { ...user, id: 150 }, { ...user, id: 0 }] },
    "/users/3000/id: is taken by another user, of the company or of the file",
  ],
  [
    { users: [...many, ...many.slice(5).map(({ id }) => least.user(id, { email: `x${id}@example.com` }))] },
    "/users/3000/id: is taken by another user, of the company or of the file",
  ],
  [
    { roles: [{ id: 42, name: "boss" }] },
    "/roles/0/name: must be admin: that is what the built-in role 42 is called",
  ],
  [
    { roles: [{ id: 99, name: "boss" }] },
    "/roles/0/id: must be a built-in role's (32, 34, 36, 42), or at least 100",
  ],
  [
    {
      custom_user_fields: [
        { id: 1, name: "A" },
        { id: 2, name: "a" },
      ],
    },
    "/custom_user_fields/1/name: is the name of another custom user field",
  ],
  [{ groups: [{ id: 1, name: "List item" }] }, "/groups/0/members: is required"],
  [
    { groups: [least.group(1, { members: [{ id: 20 }] })] },
    "/groups/0/members/0/id: names no user of the file or the company",
  ],
  [
    { users: [user], groups: [least.group(1, { managers: [{ id: 20 }, { id: 20 }] })] },
    "/groups/0/managers/1/id: stands there twice",
  ],
  [{ groups: [least.group(1, { name: "  " })] }, "/groups/0/name: can't be empty"],
  [
    { lessons: [{ ...lesson, tags: [{ id: 1 }] }] },
    "/lessons/0/tags/0/id: names no tag of the file or the company",
  ],
  [{ lessons: [{ ...lesson, retake_score: 101 }] }, "/lessons/0/retake_score: must be at most 100"],
  [
    { lessons: [lesson, lesson] },
    "/lessons/1/id: is taken by another of its kind, of the company or of the file",
  ],
  [
    { paths: [least.path(5, [lessonIn(3)])] },
    "/paths/0/contents/0/id: names no lesson of the file or the company",
  ],
  [
    { paths: [least.path(5, [pathIn(6)])] },
    "/paths/0/contents/0/id: names no path of the file or the company",
  ],
  [{ paths: [least.path(5, [pathIn(5)])] }, "/paths/0/contents/0/id: is the path itself"],
  [{ paths: [least.path(5, [{ id: 6 }])] }, "/paths/0/contents/0/resource_type: is required"],
  [
    {
      paths: [
        least.path(5, [
          { resource_type: "wait_step", id: 1, effect: "locked", condition: "x", unit: "days" },
        ]),
      ],
    },
    "/paths/0/contents/0/amount: is required",
  ],
  [
    {
      lessons: [lesson],
      paths: [
        least.path(5, [lessonIn(3), pathIn(6)]),
        least.path(6, [pathIn(7)]),
        least.path(7, [pathIn(5)]),
      ],
    },
    "/paths/0/contents/1/id: path 5 contains itself: 5 → 6 → 7 → 5",
  ],
  [
    { courses: [least.course(8, [{ id: 3 }])] },
    "/courses/0/lessons/0/id: names no lesson of the file or the company",
  ],
  [
    { group_assignments: [{ id: 1, group_id: 1, assignable_type: "Lesson", assignable_id: 3 }] },
    "/group_assignments/0/group_id: names no group of the file or the company",
  ],
  [
    { assignments: [least.assignment(1, 20, 3)] },
    "/assignments/0/assignee_id: names no user of the file or the company",
  ],
  [
    { users: [user], assignments: [least.assignment(1, 20, 3)] },
    "/assignments/0/assignable_id: names no lesson, path or course of the file or the company",
  ],
  [
    {
      users: [user],
      lessons: [lesson],
      assignments: [least.assignment(1, 20, 3), least.assignment(2, 20, 3)],
    },
    "/assignments/1/assignable_id: is assigned to this user already",
  ],
  [
    { users: [user], lessons: [lesson], assignments: [least.assignment(1, 20, 3, { status: "Done" })] },
    "/assignments/0/status: must be one of Incomplete, Overdue, Grade Pending, Completed",
  ],
  [
    { users: [user], lessons: [lesson], assignments: [least.assignment(1, 20, 3, { status: "Completed" })] },
    "/assignments/0/completed_at: is required where the status is Completed",
  ],
  [
    {
      users: [user],
      lessons: [lesson],
      assignments: [least.assignment(1, 20, 3, { completed_at: "2024-01-01" })],
    },
    "/assignments/0/completed_at: must be null as long as the status is Incomplete",
  ],
  [
    {
      users: [user],
      lessons: [lesson],
      assignments: [least.assignment(1, 20, 3, { updated_at: "9999-01-01" })],
    },
    "/assignments/0/updated_at: lies in the future",
  ],
  [
    {
      users: [user],
      paths: [least.path(5)],
      assignments: [
        least.assignment(1, 20, 3, {
          ...path,
          contents: [pathIn(6), { ...lessonIn(9), status: "Completed" }],
        }),
      ],
    },
    "/assignments/0/contents/1/id: names no lesson of the file or the company",
  ],
  [
    {
      users: [user],
      paths: [least.path(5)],
      assignments: [
        least.assignment(1, 20, 3, { ...path, contents: [{ ...pathIn(6), contents: [{ id: 1 }] }] }),
      ],
    },
    "/assignments/0/contents/0/contents/0/resource_type: is required",
  ],
  [
    {
      users: [user],
      lessons: [lesson],
      assignments: [
        least.assignment(1, 20, 3, { history: [{ round: 1, completed_at: "2024-01-01", contents: ["\0"] }] }),
      ],
    },
    "/assignments/0/history/0/contents: holds a character that no text has (NUL or half of a pair)",
  ],
  [
    { company: { time_zone: "Mars/Olympus" } },
    "/company/time_zone: must be a time zone, such as Europe/Berlin",
  ],
  [
    { company: { lesson_completed_callback_url: "ftp://example.com" } },
    "/company/lesson_completed_callback_url: must be an http or https address",
  ],
  [{ company: { last_ids: { planets: 9 } } }, "/company/last_ids/planets: is no kind of thing that has ids"],
];

test("what is wrong is told with its JSON pointer, and nothing of the file is in the company", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const before = await exportText(lectern, acme);
  for (const [bundle, message] of [...unreadable, ...wrong]) {
    assert.equal(await refusalOf(lectern, acme, bundle), message);
  }
  assert.equal(await exportText(lectern, acme), before);
});

test("a file that is no UTF-8, and one that is not there, are refused in words", async () => {
  await using lectern = await startServer();
  const bytes = Buffer.from('{"tags": [{"id": 1, "name": "caf\xe9"}]}', "latin1");
  const message = await refusalOf(lectern, lectern.acme, bytes);
  assert.equal(message, "/tags/0: is not UTF-8");
  for (const file of ["/nowhere/company.json", "/"]) {
    await assert.rejects(importBundle(lectern.database, lectern.acme.company, { file }), {
      name: "OperatorError",
      message: /^The bundle can't be read: E/,
    });
  }
});

test("an id that the company has already is refused, and so is its user's e-mail", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const bundle = { users: [user], lessons: [lesson], assignments: [least.assignment(1, 20, 3)] };
  await importInto(lectern, acme, bundle);
  const again: readonly (readonly [object, string])[] = [
    [
      { users: [least.user(20, { email: "x@example.com" })] },
      "/users/0/id: is taken by another user, of the company or of the file",
    ],
    [{ users: [least.user(21, { email: user.email })] }, "/users/0/email: is another user's e-mail"],
    [{ lessons: [lesson] }, "/lessons/0/id: is taken by another of its kind, of the company or of the file"],
    [
      { assignments: [least.assignment(2, 20, 3)] },
      "/assignments/0/assignable_id: is assigned to this user already",
    ],
    [
      { lessons: [least.lesson(4)], assignments: [least.assignment(1, 20, 4)] },
      "/assignments/0/id: is taken by another assignment, of the company or of the file",
    ],
  ];
  for (const [more, message] of again) assert.equal(await refusalOf(lectern, acme, more), message);
});
