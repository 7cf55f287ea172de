import { serializePlainly as serializerCompiler } from "../http/answer.ts";
import type { App } from "../http/app.ts";
import { listOf } from "../http/cursor.ts";
import { answers, ref } from "../http/schema.ts";
import { listCustomFields } from "./custom-fields.ts";
import { exportPersonalData } from "./personal-data.ts";
import { listProfiles } from "./profile-lists.ts";
import {
  anonymizeProfile,
  archiveProfile,
  createProfile,
  eraseProfile,
  getProfile,
  restoreProfile,
  updateProfile,
} from "./profiles.ts";
import {
  CustomUserField,
  CustomUserFieldQuery,
  Erasure,
  NewUserProfile,
  params,
  PersonalData,
  UserProfile,
  UserProfileQuery,
  UserProfileUpdate,
} from "./v2-schema.ts";

const tags = ["Users"];
const user = answers(200, ref(UserProfile));

/** /api/v2/users */
export function registerUsersV2(app: App): void {
  registerCollection(app);
  registerSingle(app);
  registerErasure(app);
}

function registerCollection(app: App): void {
  app.get(
    "/api/v2/users",
    {
      serializerCompiler,
      config: { access: "users.read" },
      schema: {
        tags,
        summary: "List the users one may see",
        querystring: UserProfileQuery,
        response: answers(200, listOf(ref(UserProfile))),
      },
    },
    (request) => request.read((tx) => listProfiles(tx, request.query)),
  );
  app.post(
    "/api/v2/users",
    {
      config: { access: "users.write" },
      schema: {
        tags,
        summary: "Create a user",
        body: NewUserProfile,
        response: answers(201, ref(UserProfile)),
      },
    },
    async (request, reply) => {
      const created = await request.write((tx) => createProfile(tx, request.body));
      return reply.code(201).send(created);
    },
  );
  app.get(
    "/api/v2/custom_user_fields",
    {
      config: { access: "users.read" },
      schema: {
        tags,
        summary: "List the company's own fields of users",
        querystring: CustomUserFieldQuery,
        response: answers(200, listOf(ref(CustomUserField))),
      },
    },
    (request) => request.read((tx) => listCustomFields(tx, request.query)),
  );
}

function registerSingle(app: App): void {
  app.get(
    "/api/v2/users/:user_id",
    {
      config: { access: "users.read", editable: true },
      schema: { tags, summary: "Show a user", params, response: user },
    },
    (request) => request.read((tx) => getProfile(tx, request.params.user_id)),
  );
  app.patch(
    "/api/v2/users/:user_id",
    {
      config: { access: "users.write", editable: true },
      schema: { tags, summary: "Change a user", params, body: UserProfileUpdate, response: user },
    },
    (request) => request.write((tx) => updateProfile(tx, request.params.user_id, request.body)),
  );
  app.post(
    "/api/v2/users/:user_id/archive",
    {
      config: { access: "users.write" },
      schema: { tags, summary: "Archive a user", params, response: user },
    },
    (request) => request.write((tx) => archiveProfile(tx, request.params.user_id)),
  );
  app.post(
    "/api/v2/users/:user_id/restore",
    {
      config: { access: "users.write" },
      schema: { tags, summary: "Restore a user", params, response: user },
    },
    (request) => request.write((tx) => restoreProfile(tx, request.params.user_id)),
  );
}

function registerErasure(app: App): void {
  app.delete(
    "/api/v2/users/:user_id",
    {
      config: { access: "users.erase" },
      schema: { tags, summary: "Delete a user for ever", params, response: answers(200, ref(Erasure)) },
    },
    (request) => request.write((tx) => eraseProfile(tx, request.params.user_id)),
  );
  app.post(
    "/api/v2/users/:user_id/anonymize",
    {
      config: { access: "users.erase" },
      schema: {
        tags,
        summary: "Take the person out of a user for ever",
        params,
        response: answers(200, ref(Erasure)),
      },
    },
    (request) => request.write((tx) => anonymizeProfile(tx, request.params.user_id)),
  );
  app.get(
    "/api/v2/users/:user_id/export",
    {
      config: { access: "users.erase" },
      schema: {
        tags,
        summary: "Export all that is stored about a user",
        params,
        response: answers(200, PersonalData),
      },
    },
    // It writes nothing but who has read it.
    (request) => request.write((tx) => exportPersonalData(tx, request.params.user_id)),
  );
}
