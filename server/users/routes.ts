import { UserGroups, UserGroupsUpdate } from "../groups/schema.ts";
import { serializePlainly as serializerCompiler } from "../http/answer.ts";
import type { App } from "../http/app.ts";
import { readPage, toEnvelope } from "../http/page.ts";
import { answers, ref } from "../http/schema.ts";
import { deleteUser } from "./delete.ts";
import { getUserGroups, updateUserGroups } from "./groups.ts";
import { getLibraryStatistics } from "./library.ts";
import { listUsers, listUsersInFull } from "./lists.ts";
import {
  DeletedUser,
  LibraryStatistics,
  ListedUserPage,
  ListedUserQuery,
  NewUser,
  User,
  UserPage,
  UserParams as params,
  UserQuery,
  UserUpdate,
} from "./schema.ts";
import { archiveUser, createUser, getUser, restoreUser, updateUser } from "./users.ts";

const tags = ["Users"];
const user = answers(200, ref(User));

/** /api/v1/users */
export function registerUsers(app: App): void {
  registerLists(app);
  registerSingle(app);
}

function registerLists(app: App): void {
  app.get(
    "/api/v1/users",
    {
      serializerCompiler,
      config: { access: "users.read" },
      schema: { tags, summary: "List users", querystring: UserQuery, response: answers(200, UserPage) },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const found = await request.read((tx) => listUsers(tx, page, request.query));
      const envelope = toEnvelope({ request, reply }, page, found);
      return { type: "users" as const, total_users: found.total, ...envelope, users: [...found.rows] };
    },
  );
  app.get(
    "/api/v1.1/users",
    {
      serializerCompiler,
      config: { access: "users.read" },
      schema: {
        tags,
        summary: "List users in full",
        querystring: ListedUserQuery,
        response: answers(200, ListedUserPage),
      },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const found = await request.read((tx) => listUsersInFull(tx, page, request.query));
      const envelope = toEnvelope({ request, reply }, page, found);
      return { type: "users" as const, total_users: found.total, ...envelope, users: [...found.rows] };
    },
  );
}

function registerSingle(app: App): void {
  app.post(
    "/api/v1/users",
    {
      config: { access: "users.write" },
      schema: { tags, summary: "Create a user", body: NewUser, response: answers(201, ref(User)) },
    },
    async (request, reply) => {
      const created = await request.write((tx) => createUser(tx, request.body));
      return reply.code(201).send(created);
    },
  );
  app.get(
    "/api/v1/users/:user_id",
    { config: { access: "users.read" }, schema: { tags, summary: "Show a user", params, response: user } },
    (request) => request.read((tx) => getUser(tx, request.params.user_id)),
  );
  app.put(
    "/api/v1/users/:user_id",
    {
      config: { access: "users.write" },
      schema: { tags, summary: "Update a user", params, body: UserUpdate, response: user },
    },
    (request) => request.write((tx) => updateUser(tx, request.params.user_id, request.body)),
  );
  registerStates(app);
}

function registerStates(app: App): void {
  app.put(
    "/api/v1/users/:user_id/archive",
    {
      config: { access: "users.write" },
      schema: { tags, summary: "Archive a user", params, response: user },
    },
    (request) => request.write((tx) => archiveUser(tx, request.params.user_id)),
  );
  app.put(
    "/api/v1/users/:user_id/restore",
    {
      config: { access: "users.write" },
      schema: { tags, summary: "Restore a user", params, response: user },
    },
    (request) => request.write((tx) => restoreUser(tx, request.params.user_id)),
  );
  app.delete(
    "/api/v1/users/:user_id",
    {
      config: { access: "users.erase" },
      schema: { tags, summary: "Delete a user", params, response: answers(200, DeletedUser) },
    },
    (request) => request.write((tx) => deleteUser(tx, request.params.user_id)),
  );
  app.get(
    "/api/v1/users/:user_id/learning_library_statistics",
    {
      config: { access: "users.read" },
      schema: {
        tags,
        summary: "Show what a user did in the learning library",
        params,
        response: answers(200, LibraryStatistics),
      },
    },
    (request) => request.read((tx) => getLibraryStatistics(tx, request.params.user_id)),
  );
}

/** /api/v1/users/:user_id/groups */
export function registerUserGroups(app: App): void {
  app.get(
    "/api/v1/users/:user_id/groups",
    {
      config: { access: "users.read" },
      schema: { tags, summary: "Show a user's groups", params, response: answers(200, UserGroups) },
    },
    (request) => request.read((tx) => getUserGroups(tx, request.params.user_id)),
  );
  app.put(
    "/api/v1/users/:user_id/groups",
    {
      config: { access: "groups.write" },
      schema: {
        tags,
        summary: "Add a user to groups, or remove them",
        params,
        body: UserGroupsUpdate,
        response: answers(200, UserGroups),
      },
    },
    (request) => request.write((tx) => updateUserGroups(tx, request.params.user_id, request.body)),
  );
}
