import type { App } from "../http/app.ts";
import { answers, ref } from "../http/schema.ts";
import { addMember, listMembers, removeMember } from "./members.ts";
import { GroupParams as params } from "./schema.ts";
import { Deleted, GroupMembers, MemberParams, Membership, MembersQuery } from "./v2-schema.ts";

const tags = ["Groups"];
const roles = { members: "member", managers: "manager" } as const;

/** /api/v2/groups/:group_id/members and /managers */
export function registerGroupMembersV2(app: App): void {
  registerMembers(app, "members");
  registerMembers(app, "managers");
}

function registerMembers(app: App, people: keyof typeof roles): void {
  const role = roles[people];
  app.get(
    `/api/v2/groups/:group_id/${people}`,
    {
      config: { access: "groups.read" },
      schema: {
        tags,
        summary: `List a group's ${people}`,
        params,
        querystring: MembersQuery,
        response: answers(200, GroupMembers),
      },
    },
    (request) => request.read((tx) => listMembers(tx, { ...request.params, role, query: request.query })),
  );
  app.put(
    `/api/v2/groups/:group_id/${people}/:user_id`,
    {
      config: { access: "groups.write" },
      schema: {
        tags,
        summary: `Put a user among a group's ${people}`,
        params: MemberParams,
        response: answers(200, ref(Membership)),
      },
    },
    (request) => request.write((tx) => addMember(tx, { ...request.params, role })),
  );
  app.delete(
    `/api/v2/groups/:group_id/${people}/:user_id`,
    {
      config: { access: "groups.write" },
      schema: {
        tags,
        summary: `Take a user out of a group's ${people}`,
        params: MemberParams,
        response: answers(200, Deleted),
      },
    },
    (request) => request.write((tx) => removeMember(tx, { ...request.params, role })),
  );
}
