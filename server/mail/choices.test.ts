import assert from "node:assert/strict";
import { after, test } from "node:test";
import { groupSection } from "../groups/mail-weekly.ts";
import { assign } from "../test/learning.ts";
import { type Mail, startMailed } from "../test/mailer.ts";
import { signIn } from "../test/person.ts";
import { type Answer, toAnswer } from "../test/server.ts";
import { locales } from "../users/schema.ts";
import { digestTexts } from "./digest-texts.ts";
import { mailCategories } from "./text.ts";
import { unsubscribeTexts } from "./unsubscribe-texts.ts";

const mailed = await startMailed();
const { lectern, server } = mailed;
const { acme, globex, make } = lectern;
after(() => mailed[Symbol.asyncDispose]());

const CHOICES = "/api/v2/me/mail_preferences";
const all = {
  ...{ assignments: true, reminders: true, results: true },
  ...{ certificates: true, team: true, administration: true },
};

test("people choose which mails they get, and keys are nobody", async () => {
  const person = await signIn(lectern, acme);
  const other = await signIn(lectern, acme);
  assert.deepEqual((await person.get(CHOICES)).body, all);
  const off = await person.patch(CHOICES, { reminders: false, results: false });
  assert.deepEqual(off.body, { ...all, reminders: false, results: false });
  const on = await person.patch(CHOICES, { results: true, reminders: false });
  assert.deepEqual([on.status, on.body], [200, { ...all, reminders: false }]);
  assert.deepEqual((await person.get(CHOICES)).body, { ...all, reminders: false });
  assert.deepEqual((await other.get(CHOICES)).body, all);
  assert.equal((await person.patch(CHOICES, { required: false })).status, 422);
  assert.equal((await person.patch(CHOICES, { team: null })).status, 422);
  assert.equal((await acme.get(CHOICES)).status, 403);
});

test("one click of a mail program ends mails of this kind, as often as it clicks", async () => {
  const { person, link } = await getLink({ locale: "fr" });
  for (const [type, payload] of [
    ["application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"],
    ["multipart/form-data; boundary=x", MULTIPART],
    [undefined, undefined],
  ] as const) {
    const answer = await call(
      { method: "POST", url: link, payload },
      { ...(type && { "content-type": type }) },
    );
    assert.deepEqual([answer.status, answer.body], [200, { categories: ["assignments"], wanted: false }]);
  }
  assert.deepEqual((await person.get(CHOICES)).body, { ...all, assignments: false });
  await giveLesson(person.user_id);
  assert.deepEqual(await mailed.after(1), []);
});

const MULTIPART =
  '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';

test("who opens the link is shown a page whose button ends the mails; opening it ends none", async () => {
  const company = await acme.request({
    method: "PATCH",
    url: "/api/v2/settings",
    payload: { name: '<script>alert(1)</script>"&\u202e' },
  });
  assert.equal(company.status, 200, JSON.stringify(company.body));
  const { person, link } = await getLink({ locale: "ar" });
  const page = await call({ url: link }, { accept: "text/html" });
  assert.equal(page.status, 200);
  assert.match(String(page.body), /^<!doctype html>\n<html lang="ar" dir="rtl">/);
  assert.match(String(page.body), /<bdi>&lt;script&gt;alert\(1\)&lt;\/script&gt;&quot;&amp;<\/bdi>/);
  assert.match(String(page.body), /<li>المهام الجديدة<\/li>/);
  assert.doesNotMatch(String(page.body), /<script|\son\w+=|https?:/);
  assert.match(
    String(page.headers["content-security-policy"]),
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  assert.deepEqual(
    ["content-type", "cache-control", "referrer-policy", "x-robots-tag"].map((name) => page.headers[name]),
    ["text/html; charset=utf-8", "no-store", "no-referrer", "noindex"],
  );
  assert.deepEqual((await person.get(CHOICES)).body, all);
  // What a browser sends with the button: a page without a referrer has the origin null.
  const done = await call(
    { method: "POST", url: link, payload: "List-Unsubscribe=One-Click" },
    {
      ...{ accept: "text/html,*/*;q=0.8", origin: "null", cookie: person.cookie },
      "content-type": "application/x-www-form-urlencoded",
    },
  );
  assert.match(String(done.body), /تم\. لن تصلك/);
  assert.doesNotMatch(String(done.body), /<form/);
  assert.deepEqual((await person.get(CHOICES)).body, { ...all, assignments: false });
  assert.doesNotMatch(String((await call({ url: link })).body), /<form/);
});

test("a link that was not made here is told nothing, whoever it names", async () => {
  const { person, link } = await getLink({});
  const foreign = link.replace("/acme/", "/globex/");
  const [, token = ""] = /token=(.+)$/.exec(link) ?? [];
  const wrong = [
    foreign,
    link.replace(`token=${person.user_id}.`, "token=1."),
    link.replace("assignments", "assignments%2Bteam"),
    link.replace(token, "x"),
    link.replace(token, ""),
    `${link}A`,
  ];
  const bodies = new Set<string>();
  for (const url of wrong) {
    for (const method of ["GET", "POST"] as const) {
      const { status, body } = await call({ method, url });
      assert.equal(status, 404, url);
      bodies.add(`${body.title} ${body.detail}`);
    }
  }
  assert.equal(bodies.size, 1);
  assert.deepEqual((await person.get(CHOICES)).body, all);
  await acme.delete(`/api/v1/users/${person.user_id}`);
  const gone = await call({ method: "POST", url: link });
  assert.deepEqual([gone.status, gone.body], [200, { categories: ["assignments"], wanted: false }]);
});

test("the page has words of its own in each language, and names the company", () => {
  const said = Object.values(unsubscribeTexts).flatMap(({ question, done, others }) => {
    const named = [question("Acme"), done("Acme")];
    for (const text of named) assert.match(text, /Acme/);
    return [...named, others];
  });
  assert.equal(new Set(said).size, 12 * 3);
  for (const { categories } of Object.values(unsubscribeTexts)) {
    assert.equal(new Set(Object.values(categories)).size, mailCategories.length);
  }
});

test("the page calls what it ends by the words of the mails themselves", () => {
  const group = { name: "", members: 1, completed: 3, overdue: 1 };
  for (const locale of locales) {
    const { question, done, categories } = unsubscribeTexts[locale];
    const { sections } = digestTexts[locale];
    assert.equal(categories.results, sections.results, locale);
    assert.ok(categories.certificates.startsWith(sections.certificates), locale);
    const lines = groupSection(locale, group).items.map(({ text }) => text);
    // Adjectives stand before the noun, and written Japanese and Chinese parts no words; Arabic does neither.
    const noun = categories.assignments.split(" ").at(-1) ?? "";
    const isSaid = lines.some((line) => line.includes(noun)) || sections.assigned === categories.assignments;
    if (locale !== "ar") assert.ok(isSaid, `${locale}: ${noun}`);
    // A line must not end before what stands apart in French.
    if (locale === "fr") assert.doesNotMatch(`${question("A")}${done("A")}`, / [:;!?]/);
  }
});

test("an administrator sees what became of each mail, and has one sent again that failed", async () => {
  const mary = await signIn(lectern, globex, { name: "Mary" });
  const ada = await signIn(lectern, globex, { name: "Ada" });
  server.behave = (moment, to) =>
    moment === "rcpt" && to === emails.get(mary.user_id) ? "550 5.1.1 Nobody is here" : "go_on";
  const emails = new Map<number, string>();
  for (const { user_id } of [mary, ada]) {
    emails.set(user_id, (await globex.get(`/api/v1/users/${user_id}`)).body.email);
  }
  const lesson_id = await make.lesson(globex, { title: "Fire safety" });
  await assign(globex, `lessons/${lesson_id}`, [{ assignee_id: mary.user_id }, { assignee_id: ada.user_id }]);
  await mailed.after(1);
  const listed = await globex.get("/api/v2/mails?filter[kind]=assigned");
  const shared = { kind: "assigned", subject: "New for you: Fire safety", tries: 1, next_try_at: null };
  const [ofAda, ofMary] = listed.body.data;
  assert.deepEqual(listed.body, {
    data: [
      {
        ...{
          ...shared,
          id: ofAda.id,
          user: { id: ada.user_id, name: "Ada" },
          address: emails.get(ada.user_id),
        },
        ...{ status: "sent", reason: null, created_at: ofAda.created_at, sent_at: ofAda.sent_at },
      },
      {
        ...{
          ...shared,
          id: ofMary.id,
          user: { id: mary.user_id, name: "Mary" },
          address: emails.get(mary.user_id),
        },
        ...{ status: "address_refused", reason: ofMary.reason, created_at: ofMary.created_at, sent_at: null },
      },
    ],
    next: null,
  });
  assert.match(ofMary.reason, /550 5\.1\.1 Nobody is here/);
  const first = await globex.get("/api/v2/mails?limit=1&filter[kind]=assigned");
  const rest = await globex.get(`/api/v2/mails?limit=1&filter[kind]=assigned&cursor=${first.body.next}`);
  assert.deepEqual([...first.body.data, ...rest.body.data], listed.body.data);
  const failed = await globex.get("/api/v2/mails?filter[status]=address_refused");
  assert.deepEqual(failed.body.data, [ofMary]);
  assert.deepEqual((await globex.get(`/api/v2/mails?filter[user_id]=${ada.user_id}`)).body.data, [ofAda]);

  assert.equal((await globex.post(`/api/v2/mails/${ofAda.id}/send_again`)).status, 409);
  assert.equal((await globex.post("/api/v2/mails/999/send_again")).status, 404);
  assert.equal((await ada.get("/api/v2/mails")).status, 403);
  server.behave = () => "go_on";
  const again = await globex.post(`/api/v2/mails/${ofMary.id}/send_again`);
  const { next_try_at } = again.body;
  assert.deepEqual(again.body, { ...ofMary, status: "waiting", reason: null, tries: 0, next_try_at });
  const [mail] = await mailed.after(0);
  assert.equal(mail?.to, emails.get(mary.user_id));
  assert.equal((await globex.post(`/api/v2/mails/${ofMary.id}/send_again`)).status, 409);
  const { data } = (await globex.get("/api/v2/audit_log?filter[action]=send_mail_again")).body;
  assert.deepEqual(
    data.map(({ resource_id, before, after: now }: Record<string, unknown>) => [resource_id, before, now]),
    [[ofMary.id, { status: "address_refused" }, { status: "waiting" }]],
  );
});

/** Signs somebody in who was assigned something, with the address that ends such mails. */
async function getLink(columns: { readonly locale?: string }) {
  const person = await signIn(lectern, acme);
  await acme.put(`/api/v1/users/${person.user_id}`, columns);
  await giveLesson(person.user_id);
  const mails = await mailed.after(1);
  const link = linkIn(mails.find(({ headers }) => headers.has("list-unsubscribe")));
  return { person, link };
}

async function giveLesson(assignee_id: number): Promise<void> {
  await assign(acme, `lessons/${await make.lesson(acme)}`, [{ assignee_id }]);
}

function linkIn(mail: Mail | undefined): string {
  const [, link] =
    /^<https:\/\/lectern\.test(\/\S+)>$/.exec(mail?.headers.get("list-unsubscribe") ?? "") ?? [];
  assert.ok(link, mail?.text);
  return link;
}

interface Sent {
  readonly method?: "GET" | "POST";
  readonly url: string;
  readonly payload?: string | undefined;
}

async function call(
  { method = "GET", url, payload }: Sent,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return toAnswer(await lectern.app.inject({ method, url, headers, ...(payload && { payload }) }));
}
