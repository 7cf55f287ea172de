import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as fc from "fast-check";
import { countAssignments } from "../assignments/counts.ts";
import { assignmentCounters } from "../assignments/give.ts";
import { lockCounters } from "../db/counters.ts";
import { advancePaths } from "../learning/path-progress.ts";
import { assertCountsOf } from "../test/counts.ts";
import { assign, takeTime } from "../test/learning.ts";
import { signIn } from "../test/person.ts";
import { type Client, PUBLIC_URL, startServer } from "../test/server.ts";
import { openRenewals } from "./renewals.ts";
import { addMonths, findExpiry } from "./validity.ts";

let now = new Date();
const lectern = await startServer({ clock: () => now });
after(() => lectern[Symbol.asyncDispose]());

interface Given {
  readonly valid_months?: number;
  readonly valid_until_day?: string;
}

/** Assigns a certification of one lesson to a new learner. */
async function certify(client: Client, given: Given = { valid_months: 12 }, title = "First aid") {
  const lesson_id = await lectern.make.lesson(client, { title: "Bandages" });
  const path_id = await lectern.make.path(client, {
    title,
    is_certification: true,
    published_version: 1,
    ...given,
    contents: [{ resource_type: "lesson", lesson_id }],
  });
  const lea = await signIn(lectern, client, { name: "Lea Lind" });
  const [{ id: assignment_id }] = await assign(client, `paths/${path_id}`, [{ assignee_id: lea.user_id }]);
  return { lesson_id, path_id, assignment_id, lea };
}

async function complete(
  client: Client,
  { lesson_id, assignment_id, lea }: Awaited<ReturnType<typeof certify>>,
): Promise<void> {
  await lectern.make.write(client, async (tx) => {
    const at = await lockCounters(tx, ...assignmentCounters);
    const times = { started_at: at, completed_at: at };
    const outcome = {
      user_id: lea.user_id,
      lesson_id,
      assignment_id,
      status: "Completed",
      score: 90,
    } as const;
    await countAssignments(tx, { ...(await advancePaths(tx, { ...outcome, ...times }, at)), at });
  });
}

test("who completes a certification gets a certificate, which anybody can verify by its number", async () => {
  const client = await lectern.addCompany({ subdomain: "aid" });
  const course = await certify(client);
  assert.deepEqual((await course.lea.get("/api/v2/certificates")).body, { data: [], next: null });
  await complete(client, course);
  const { body: list } = await course.lea.get("/api/v2/certificates?filter[valid]=true");
  const [own] = list.data;
  assert.match(own.number, new RegExp(`^${client.company.id.toString(36).toUpperCase()}-[0-9A-Z]{16}$`));
  const year = Number(own.issued_at.slice(0, 4));
  const shown = {
    number: own.number,
    status: "valid",
    user_name: "Lea Lind",
    path_title: "First aid",
    issued_at: takeTime(own.issued_at),
    expires_at: takeTime(own.expires_at),
    valid_until: addMonths(own.issued_at.slice(0, 10), 12),
  };
  assert.equal(own.valid_until.slice(0, 4), String(year + 1));
  assert.deepEqual(own, {
    id: 1,
    resource_type: "certificate",
    ...shown,
    user_id: course.lea.user_id,
    path_id: course.path_id,
    assignment_id: course.assignment_id,
    revoked_at: null,
    renewal_opened_at: null,
  });
  const url = `/api/v2/companies/aid/certificates/${own.number}`;
  const anybody = { headers: { authorization: "" }, method: "GET" } as const;
  const verify = () => client.request({ ...anybody, url });
  assert.deepEqual((await verify()).body, shown);
  assert.equal((await client.request({ ...anybody, url: url.replace("/aid/", "/acme/") })).status, 404);
  const picture = await lectern.app.inject({ method: "GET", url: `${url}/picture` });
  assert.deepEqual([picture.statusCode, picture.headers["content-type"]], [200, "image/png"]);
  assert.deepEqual([...picture.rawPayload.subarray(1, 4)], [...Buffer.from("PNG")]);
  const pdf = await course.lea.get(`/api/v2/certificates/${own.id}/pdf`);
  assert.deepEqual([pdf.status, String(pdf.body).slice(0, 5)], [200, "%PDF-"]);

  now = new Date(Date.parse(own.expires_at) - 1);
  assert.equal((await verify()).body.status, "valid");
  now = new Date(own.expires_at);
  assert.equal((await verify()).body.status, "expired");
  // A year later the session of before has long ended.
  const again = await signIn(lectern, client, { user_id: course.lea.user_id });
  assert.deepEqual((await again.get("/api/v2/certificates?filter[valid]=true")).body, {
    data: [],
    next: null,
  });
  now = new Date();

  const other = await signIn(lectern, client);
  assert.equal((await other.get(`/api/v2/certificates/${own.id}`)).status, 404);
  assert.equal((await other.post(`/api/v2/certificates/${own.id}/revoke`)).status, 403);
  assert.equal(
    (await client.get(`/api/v2/certificates?filter[user_id]=${course.lea.user_id}`)).body.data.length,
    1,
  );
  const revoked = await client.post(`/api/v2/certificates/${own.id}/revoke`);
  assert.equal(revoked.body.status, "revoked");
  assert.equal((await verify()).body.status, "revoked");
  assert.equal((await lectern.app.inject({ method: "GET", url: `${url}/pdf` })).statusCode, 404);
});

test("before a certificate ends its path begins anew; the old one stays, and completing again gives another", async () => {
  now = new Date();
  const client = await lectern.addCompany({ subdomain: "renewal", time_zone: "America/New_York" });
  const course = await certify(client);
  await complete(client, course);
  const certificates = async () => (await client.get("/api/v2/certificates")).body.data;
  const [first] = await certificates();
  const opens = new Date(Date.parse(first.expires_at) - 30 * 86_400_000);
  assert.equal(await openRenewals(lectern.database, new Date(opens.getTime() - 1000), PUBLIC_URL), 0);
  // Two workers at once open it once.
  const opened = await Promise.all([1, 2].map(() => openRenewals(lectern.database, opens, PUBLIC_URL)));
  assert.deepEqual(opened.toSorted(), [0, 1]);
  const { body } = await client.get(`/api/v1/paths/${course.path_id}/assignments`);
  const [assignment] = body.assignments;
  assert.deepEqual(
    [assignment.status, assignment.due_by, assignment.score],
    ["Incomplete", `${first.valid_until}T00:00:00Z`, 90],
    "it is due on the certificate's last day, not on the day when it is no longer valid",
  );
  const [waiting] = await certificates();
  assert.deepEqual(waiting, { ...first, renewal_opened_at: takeTime(waiting.renewal_opened_at) });
  await complete(client, course);
  assert.deepEqual(
    (await certificates()).map(({ id, status }: { id: number; status: string }) => [id, status]),
    [
      [2, "valid"],
      [1, "valid"],
    ],
  );
  const nextDay = new Date(opens.getTime() + 86_400_000);
  assert.equal(
    await openRenewals(lectern.database, nextDay, PUBLIC_URL),
    1,
    "issued just now, the second ends as soon, or a day later where it has become midnight meanwhile",
  );
  await assertCountsOf(lectern.ownerUrl, [client.company]);
});

function ofMonths(valid_months: number, at: string, zone = "UTC"): string | null {
  return findExpiry({ valid_months, valid_until_day: null, renewal_days: 30 }, at, zone);
}

function untilDay(valid_until_day: string, at: string): string | null {
  return findExpiry({ valid_months: null, valid_until_day, renewal_days: 30 }, at, "UTC");
}

test("months are counted by the calendar, and a day of the year is the next that leaves time to renew", () => {
  assert.equal(ofMonths(1, "2026-01-31 12:00:00+00"), "2026-03-01 00:00:00.000+00");
  assert.equal(ofMonths(1, "2024-01-31 12:00:00+00"), "2024-03-01 00:00:00.000+00");
  assert.equal(ofMonths(12, "2024-02-29 12:00:00+00"), "2025-03-01 00:00:00.000+00");
  assert.equal(ofMonths(48, "2024-02-29 12:00:00+00"), "2028-03-01 00:00:00.000+00");
  assert.equal(ofMonths(2, "2026-12-31 23:59:59+00"), "2027-03-01 00:00:00.000+00");
  // In New York it is still the day before, and summer time begins meanwhile.
  assert.equal(ofMonths(1, "2026-03-01 03:00:00+00", "America/New_York"), "2026-03-29 04:00:00.000+00");
  assert.equal(untilDay("12-31", "2026-05-01 00:00:00+00"), "2027-01-01 00:00:00.000+00");
  assert.equal(untilDay("12-31", "2026-12-15 00:00:00+00"), "2028-01-01 00:00:00.000+00");
  assert.equal(untilDay("02-29", "2026-01-01 00:00:00+00"), "2026-03-01 00:00:00.000+00");
  assert.equal(untilDay("02-29", "2028-01-01 00:00:00+00"), "2028-03-01 00:00:00.000+00");
  assert.equal(
    findExpiry(
      { valid_months: null, valid_until_day: null, renewal_days: 30 },
      "2026-01-01 00:00:00+00",
      "UTC",
    ),
    null,
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 1, max: 1200 }), (day, months) => {
      const date = new Date(Date.UTC(1980, 0, 1 + day)).toISOString().slice(0, 10);
      const later = new Date(addMonths(date, months));
      const from = new Date(date);
      const passed =
        (later.getUTCFullYear() - from.getUTCFullYear()) * 12 + later.getUTCMonth() - from.getUTCMonth();
      assert.equal(passed, months);
      assert.ok(later.getUTCDate() <= from.getUTCDate());
      const next = new Date(later.getTime() + 86_400_000);
      assert.ok(later.getUTCDate() === from.getUTCDate() || next.getUTCDate() === 1, "or the month's last");
    }),
  );
});
