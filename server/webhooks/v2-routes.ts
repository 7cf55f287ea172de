import { requireKnownTypes } from "../events/known-types.ts";
import type { App } from "../http/app.ts";
import { listOf } from "../http/cursor.ts";
import { answers, ref } from "../http/schema.ts";
import { getDelivery, listDeliveries, resend } from "./deliveries.ts";
import {
  createWebhook,
  deleteWebhook,
  getEndpoint,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
  type WebhookGround,
} from "./endpoints.ts";
import type { Outgoing } from "./outgoing.ts";
import { ping } from "./ping.ts";
import {
  DeletedWebhook,
  DeliveryParams,
  DeliveryQuery,
  MadeWebhook,
  NewWebhook,
  Resend,
  Resent,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookParams as params,
  WebhookQuery,
  WebhookTest,
  WebhookUpdate,
} from "./v2-schema.ts";

const tags = ["Webhooks"];
const access = "webhooks.write";
const webhook = answers(200, ref(Webhook));

/** /api/v2/webhooks */
export function registerWebhooks(app: App, ground: WebhookGround & { readonly outgoing: Outgoing }): void {
  registerEndpoints(app, ground);
  registerEndpoint(app, ground);
  registerDeliveries(app);
  app.post(
    "/api/v2/webhooks/:webhook_id/test",
    {
      config: { access },
      schema: {
        tags,
        summary: "Send a ping, and see the answer",
        params,
        response: answers(200, ref(WebhookTest)),
      },
    },
    // No transaction is open while it waits for the receiver.
    (request) =>
      request
        .read((tx) => getEndpoint(tx, request.params.webhook_id))
        .then((endpoint) => ping(endpoint, ground)),
  );
}

const fieldOfType = (index: number) => `types[${index}]`;

function registerEndpoints(app: App, ground: WebhookGround): void {
  app.get(
    "/api/v2/webhooks",
    {
      config: { access },
      schema: {
        tags,
        summary: "List webhooks",
        querystring: WebhookQuery,
        response: answers(200, listOf(ref(Webhook))),
      },
    },
    (request) => request.read((tx) => listWebhooks(tx, request.query, ground.secrets)),
  );
  app.post(
    "/api/v2/webhooks",
    {
      config: { access },
      schema: {
        tags,
        summary: "Create a webhook",
        body: NewWebhook,
        response: answers(201, ref(MadeWebhook)),
      },
    },
    async (request, reply) => {
      requireKnownTypes(request.body.types, fieldOfType);
      const made = await request.write((tx) => createWebhook(tx, request.body, ground));
      return reply.code(201).send(made);
    },
  );
}

function registerEndpoint(app: App, ground: WebhookGround): void {
  app.get(
    "/api/v2/webhooks/:webhook_id",
    {
      config: { access, editable: true },
      schema: { tags, summary: "Show a webhook", params, response: webhook },
    },
    (request) => request.read((tx) => getWebhook(tx, request.params.webhook_id, ground.secrets)),
  );
  app.patch(
    "/api/v2/webhooks/:webhook_id",
    {
      config: { access, editable: true },
      schema: {
        tags,
        summary: "Change, enable or disable a webhook",
        params,
        body: WebhookUpdate,
        response: webhook,
      },
    },
    (request) => {
      const {
        params: { webhook_id: id },
        body,
      } = request;
      requireKnownTypes(body.types ?? [], fieldOfType);
      return request.write((tx) => updateWebhook(tx, { id, body }, ground));
    },
  );
  app.delete(
    "/api/v2/webhooks/:webhook_id",
    {
      config: { access },
      schema: { tags, summary: "Delete a webhook", params, response: answers(200, DeletedWebhook) },
    },
    (request) => request.write((tx) => deleteWebhook(tx, request.params.webhook_id, ground.secrets)),
  );
  app.post(
    "/api/v2/webhooks/:webhook_id/rotate_secret",
    {
      config: { access },
      schema: {
        tags,
        summary: "Replace a webhook's secret; the former one signs for another day",
        params,
        response: answers(200, ref(MadeWebhook)),
      },
    },
    (request) => request.write((tx) => rotateSecret(tx, request.params.webhook_id, ground.secrets)),
  );
}

function registerDeliveries(app: App): void {
  app.post(
    "/api/v2/webhooks/:webhook_id/resend",
    {
      config: { access },
      schema: {
        tags,
        summary: "Send events again: one, a range, or all that failed",
        params,
        body: Resend,
        response: answers(200, Resent),
      },
    },
    (request) => request.write((tx) => resend(tx, request.params.webhook_id, request.body)),
  );
  app.get(
    "/api/v2/webhooks/:webhook_id/deliveries",
    {
      config: { access },
      schema: {
        tags,
        summary: "List what was and is to be sent to a webhook",
        params,
        querystring: DeliveryQuery,
        response: answers(200, listOf(ref(WebhookDelivery))),
      },
    },
    (request) => request.read((tx) => listDeliveries(tx, request.params.webhook_id, request.query)),
  );
  app.get(
    "/api/v2/webhooks/:webhook_id/deliveries/:event_id",
    {
      config: { access },
      schema: {
        tags,
        summary: "Show how the delivery of an event went",
        params: DeliveryParams,
        response: answers(200, ref(WebhookDeliveryDetail)),
      },
    },
    (request) => request.read((tx) => getDelivery(tx, request.params)),
  );
}
