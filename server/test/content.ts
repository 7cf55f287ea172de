import { endAssignments, endLesson } from "./complete.ts";
import { fillTables } from "./rows.ts";
import type { Client, TestServer } from "./server.ts";

/** The ids of one thing of every kind in a company, and the word that stands in every text of it. */
export interface Content {
  readonly mark: string;
  readonly user_id: number;
  readonly group_id: number;
  readonly lesson_id: number;
  readonly path_id: number;
  readonly course_id: number;
  readonly tag_id: number;
  readonly role_id: number;
  readonly field_id: number;
  readonly assignment_id: number;
  readonly group_assignment_id: number;
  readonly api_key_id: number;
  readonly attempt_id: number;
  readonly job_id: number;
  readonly certificate_id: number;
  readonly session_id: number;
  readonly mail_id: number;
  readonly file_id: number;
  readonly upload_id: number;
  readonly webhook_id: number;
  readonly event_id: number;
}

/**
 * Fills a company with something of everything. Called for two companies in turn it gives both the same things under
 * the same ids: a query that forgets its company then shows the other's, where `mark` tells whose it is.
 */
export async function makeContent(lectern: TestServer, client: Client, mark: string): Promise<Content> {
  const { make } = lectern;
  const role_id = await makeRole(client, mark);
  const user_id = await makeUser(client, { mark, role_id, number: 1 });
  const others = [
    await makeUser(client, { mark, role_id, number: 2 }),
    await makeUser(client, { mark, role_id, number: 3 }),
  ];
  const { body: users } = await client.get("/api/v1.1/users?per_page=1");
  const field_id: number = users.users[0].custom_user_field_data[0].custom_user_field_id;
  const lesson_id = await make.lesson(client, {
    title: `${mark} lesson`,
    description: `${mark} text`,
    public: true,
  });
  const second = await make.lesson(client, { title: `${mark} second lesson` });
  const inner = await make.path(client, {
    title: `${mark} inner path`,
    contents: [{ resource_type: "lesson", lesson_id: second }],
  });
  const path_id = await make.path(client, {
    title: `${mark} path`,
    description: `${mark} way`,
    is_certification: true,
    contents: [
      { resource_type: "lesson", lesson_id },
      {
        resource_type: "wait_step",
        item_id: inner * 2,
        effect: "locked",
        condition: "prev_step_finished",
        unit: "days",
        amount: 7,
      },
      { resource_type: "path", nested_path_id: inner },
      { resource_type: "placeholder", item_id: inner * 2, description: `${mark} later` },
    ],
  });
  const course_id = await make.course(client, {
    title: `${mark} course`,
    description: `${mark} talk`,
    owner_id: user_id,
    lessons: [lesson_id, second],
  });
  const tag_id = await make.tag(client, `${mark} tag`, [
    { type: "Lesson", id: lesson_id },
    { type: "LearningPaths::Path", id: path_id },
    { type: "Course", id: course_id },
  ]);
  const group = await client.post("/api/v1/groups", {
    name: `${mark} group`,
    members: [user_id, ...others].map((id) => ({ id })),
    managers: [{ id: user_id }],
  });
  const group_id: number = group.body.id;
  const group_assignment_id = await make.groupAssignment(client, group_id, { type: "Lesson", id: lesson_id });
  await make.groupAssignment(client, group_id, { type: "LearningPaths::Path", id: path_id });
  const things = { mark, user_id, group_id, lesson_id, path_id, course_id, tag_id, role_id, field_id };
  const rows = await make.write(client, (tx) => fillTables(tx, things));
  const assignment_id = await assign(lectern, client, things, others);
  const key = await client.post("/api/v2/api_keys", {
    name: `${mark} key`,
    privileges: null,
    expires_at: null,
  });
  return { ...things, ...rows, assignment_id, group_assignment_id, api_key_id: key.body.id };
}

async function makeUser(
  client: Client,
  { mark, role_id, number }: { mark: string; role_id: number; number: number },
): Promise<number> {
  const { status, body } = await client.post("/api/v1/users", {
    name: `${mark} Person ${number}`,
    email: `${mark.toLowerCase()}.${number}@example.com`,
    role_id,
    ext_uid: `${mark}-${number}`,
    job_title: `${mark} job`,
    business_unit: `${mark} unit`,
    department: `${mark} department`,
    location: `${mark} place`,
    manager_name: `${mark} manager`,
    hire_date: "2020-02-29",
    custom_user_fields: [{ name: `${mark} field`, value: `${mark} value` }],
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

async function makeRole(client: Client, mark: string): Promise<number> {
  const { status, body } = await client.post("/api/v2/roles", { name: `${mark} coach`, privileges: [] });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

/**
 * Assigns a lesson, a path and a course to each user, some of them overdue. One has completed the lesson and got it
 * anew, one awaits a grade, one has completed it; and one has begun the path.
 * @returns the assignment that awaits a grade.
 */
async function assign(
  lectern: TestServer,
  client: Client,
  made: Pick<Content, "lesson_id" | "path_id" | "course_id" | "user_id">,
  others: readonly number[],
): Promise<number> {
  const { lesson_id, path_id, course_id, user_id } = made;
  const assignments = [
    { assignee_id: user_id, due_by: "2020-12-31" },
    ...others.map((assignee_id) => ({ assignee_id, notify: false })),
  ];
  const ids: number[] = [];
  for (const url of [`lessons/${lesson_id}`, `paths/${path_id}`, `courses/${course_id}`]) {
    const { status, body } = await client.put(`/api/v1/${url}/assignments`, { assignments });
    if (status !== 200) throw new Error(JSON.stringify(body));
    ids.push(...body.assignments.map(({ id }: { id: number }) => id));
  }
  const [first = 0, second = 0, third = 0, ofPath = 0] = ids;
  await endLesson(lectern, client, { assignment_id: ofPath, lesson_id, user_id });
  await endAssignments(lectern, client, { ids: [first, second], status: "Completed", score: 80 });
  await endAssignments(lectern, client, { ids: [third], status: "Grade Pending", score: null });
  await client.put(`/api/v1/lessons/${lesson_id}/assignments`, { assignments: assignments.slice(0, 1) });
  return third;
}
