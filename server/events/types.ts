import type { TProperties } from "typebox";
import { AssignmentDetails } from "../assignments/v2-schema.ts";
import { Certificate } from "../certificates/v2-schema.ts";
import { CourseState } from "../courses/v2-schema.ts";
import { GroupProfile, Membership } from "../groups/v2-schema.ts";
import { Id } from "../http/schema.ts";
import { LessonCompleted } from "../learning/lesson-completed.ts";
import { LessonOverview } from "../lessons/v2-schema.ts";
import { PathOverview } from "../paths/v2-schema.ts";
import { UserProfile } from "../users/v2-schema.ts";
import { Webhook } from "../webhooks/v2-schema.ts";
import { Tombstone } from "./v2-schema.ts";

/** A named schema of an object. */
interface Named {
  readonly $id: string;
  readonly properties: TProperties;
  readonly required: string[];
}

interface Described {
  readonly means: string;
  /** What `data` is. */
  readonly data: Named;
}

/** What is told of every kind of thing that can be archived. */
function kept(noun: string, data: Named) {
  return {
    [`${noun}.created`]: { means: `A ${noun} was made.`, data },
    [`${noun}.updated`]: { means: `A ${noun} was changed.`, data },
    [`${noun}.archived`]: { means: `A ${noun} was archived.`, data },
    [`${noun}.restored`]: { means: `A ${noun} was restored.`, data },
    [`${noun}.deleted`]: { means: `A ${noun} was deleted.`, data: Tombstone },
  };
}

/** Every type of event, with what its `data` is. */
export const eventTypes: Readonly<Record<string, Described>> = {
  ...kept("user", UserProfile),
  "user.anonymized": { means: "The person was taken out of a user, for ever.", data: UserProfile },
  ...kept("group", GroupProfile),
  "membership.created": { means: "A user became a member or a manager of a group.", data: Membership },
  "membership.deleted": { means: "A user is a member or a manager of a group no more.", data: Membership },
  ...kept("lesson", LessonOverview),
  "lesson.published": { means: "A version of a lesson was published.", data: LessonOverview },
  "lesson.completed": {
    means: "Somebody has completed a lesson. It tells of them, and changes nothing of the lesson.",
    data: LessonCompleted,
  },
  ...kept("path", PathOverview),
  "path.published": { means: "A version of a path was published.", data: PathOverview },
  ...kept("course", CourseState),
  "assignment.created": { means: "Something was assigned to a user.", data: AssignmentDetails },
  "assignment.started": { means: "The user has begun.", data: AssignmentDetails },
  "assignment.submitted": { means: "The user has finished; a person grades now.", data: AssignmentDetails },
  "assignment.graded": { means: "The last of what waited for a grader was graded.", data: AssignmentDetails },
  "assignment.completed": { means: "The user has completed it.", data: AssignmentDetails },
  "assignment.reassigned": {
    means: "It begins anew: it was assigned again, or the user was below the pass mark.",
    data: AssignmentDetails,
  },
  "assignment.due_changed": { means: "Its due date was changed.", data: AssignmentDetails },
  "assignment.overdue": { means: "Its due date has passed; once for each.", data: AssignmentDetails },
  "assignment.updated": { means: "It was changed otherwise.", data: AssignmentDetails },
  "assignment.deleted": { means: "It was taken away.", data: Tombstone },
  "certificate.issued": { means: "A certificate was issued.", data: Certificate },
  "certificate.renewal_opened": { means: "The path was assigned anew to renew it.", data: Certificate },
  "certificate.expired": { means: "Its last day has passed.", data: Certificate },
  "certificate.revoked": { means: "It was revoked.", data: Certificate },
  "certificate.updated": { means: "The name on it was blanked.", data: Certificate },
  "certificate.deleted": { means: "It was deleted with its user.", data: Tombstone },
  "webhook.failing": {
    means:
      "Deliveries to a webhook were given up, or none has arrived for three days. Its address is told without the query.",
    data: Webhook,
  },
  "webhook.disabled": {
    means: "A webhook's receiver has said that it wants no more. Its address is told without the query.",
    data: Webhook,
  },
};

/** The `webhooks` of the OpenAPI document: what a receiver is sent for each type of event. */
export function describeWebhooks(): Record<string, object> {
  const told = Object.entries(eventTypes).map(([type, { means, data }]) => [
    type,
    describe(means, {
      type: "object",
      additionalProperties: false,
      required: ["id", "type", "occurred_at", "data", "previous"],
      properties: {
        id: { type: "integer", minimum: 1, description: "Its place in the change feed." },
        type: { const: type },
        occurred_at: { type: "string", description: "ISO 8601 in UTC, to the second." },
        data: describeData(data),
        previous: { $ref: "#/components/schemas/Event/properties/previous" },
      },
    }),
  ]);
  return {
    ...Object.fromEntries(told),
    lesson_completed_callback: describe(
      "What the callback of the company's settings is sent for each lesson that somebody completes.",
      { $ref: `#/components/schemas/${LessonCompleted.$id}` },
    ),
  };
}

/** The schema of an event's data. What holds a person's name or more is without it where they were erased since. */
export function describeData(data: Named): object {
  const whole = { $ref: `#/components/schemas/${data.$id}` };
  if (data === UserProfile) return { anyOf: [whole, erasedForm({ id: Id }, ["id"])] };
  if (data !== LessonCompleted && data !== Certificate) return whole;
  return { anyOf: [whole, erasedForm(data.properties, data.required)] };
}

function erasedForm(properties: TProperties, required: readonly string[]): object {
  const erased = {
    const: true,
    description: "A person was erased from it: their name and the like are gone.",
  };
  return {
    type: "object",
    additionalProperties: false,
    required: [...required, "erased"],
    properties: { ...properties, erased },
  };
}

function describe(summary: string, schema: object): object {
  return {
    post: {
      summary,
      tags: ["Webhooks"],
      parameters: ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => ({
        name,
        in: "header",
        required: true,
        schema: { type: "string" },
        description: "As Standard Webhooks 1.0 has it.",
      })),
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: { "2XX": { description: "It has arrived. Anything else is tried again." } },
    },
  };
}
