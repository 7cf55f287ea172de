/**
 * Everything that a caller can be let do. A route names the one it needs; docs/roles.md is made from this table.
 * `reach` says how far each built-in role's goes: `all` of the company, the groups that one `managed`s, or one's `own`
 * content with what is shared with one. A role that is not named lacks it.
 */
export const privileges = {
  "users.read": { means: "See users and their profiles.", reach: { admin: "all", manager: "managed" } },
  "users.write": {
    means: "Make, change, archive and restore users, and invite them.",
    reach: { admin: "all" },
  },
  "users.erase": {
    means: "Delete users or make them anonymous, and export all that is stored about one.",
    reach: { admin: "all" },
  },
  "groups.read": {
    means: "See groups, their members and what they are assigned.",
    reach: { admin: "all", manager: "managed" },
  },
  "groups.write": {
    means: "Make and change groups, their members, rules and managers.",
    reach: { admin: "all" },
  },
  "roles.write": { means: "See and make roles, and what they may do.", reach: { admin: "all" } },
  "api_keys.write": { means: "See, make and revoke API keys.", reach: { admin: "all" } },
  "settings.write": {
    means:
      "See and change the company's settings, webhook and single sign-on. Who says by what people sign in can become anybody.",
    reach: { admin: "all" },
  },
  "events.read": {
    means: "Follow everything that changes in the account: the change feed.",
    reach: { admin: "all" },
  },
  "webhooks.write": {
    means:
      "See, make and change webhooks, their deliveries and their secrets, and send events again. Whoever has it can have every event sent to an address of theirs, also without events.read.",
    reach: { admin: "all" },
  },
  "mails.write": { means: "See what mails went out to whom, and send one again.", reach: { admin: "all" } },
  "audit.read": { means: "Read and export the audit log.", reach: { admin: "all" } },
  "content.read": {
    means: "See what lessons, paths, courses and tags there are, as published, with their counts.",
    reach: { admin: "all", creator: "all", manager: "all" },
  },
  "lessons.write": {
    means: "Write lessons: drafts, versions, publishing, sharing, archiving.",
    reach: { admin: "all", creator: "own" },
  },
  "paths.write": {
    means: "Build paths: drafts, versions, publishing, sharing, archiving.",
    reach: { admin: "all", creator: "own" },
  },
  "courses.write": { means: "Archive and restore courses.", reach: { admin: "all" } },
  "tags.write": { means: "Make and change tags.", reach: { admin: "all", creator: "all" } },
  "files.write": { means: "Upload files and see one's own.", reach: { admin: "all", creator: "own" } },
  "assignments.read": {
    means: "See assignments, attempts and report cards.",
    reach: { admin: "all", manager: "managed" },
  },
  "assignments.write": {
    means: "Assign to users and groups, change due dates, take assignments away.",
    reach: { admin: "all", manager: "managed" },
  },
  "answers.grade": {
    means: "Grade answers that wait for a person.",
    reach: { admin: "all", manager: "managed", creator: "own" },
  },
  "reports.read": {
    means: "Read reports and export results.",
    reach: { admin: "all", manager: "managed", creator: "own" },
  },
  learn: {
    means: "Take what is assigned or open to the company, and see one's own results and certificates.",
    reach: { admin: "own", creator: "own", manager: "own", learner: "own" },
  },
} as const satisfies Record<string, { means: string; reach: Partial<Record<RoleName, Scope>> }>;

export type Privilege = keyof typeof privileges;
export type RoleName = "admin" | "creator" | "manager" | "learner";

/** How far a privilege reaches. */
export type Scope = "all" | "managed" | "own";

/** Who sees or does something, as far as the rules ask. */
export interface Viewer {
  /** The person; null for a key and for the operator's commands. */
  readonly user_id: number | null;
  /** How far this privilege reaches; undefined for who lacks it. */
  scope(privilege: Privilege): Scope | undefined;
}

/** The operator's commands and the service's own work: no limits. */
export const operator: Viewer = { user_id: null, scope: () => "all" };

/** A caller who is nobody yet: may only what is public. */
export const nobody: Viewer = { user_id: null, scope: () => undefined };

/** One privilege and how far it reaches, as a key or a custom role has it. */
export interface Grant {
  readonly privilege: Privilege;
  readonly scope: Scope;
}

/**
 * Reads what is said of a key or a custom role, such as `lessons.write` or `assignments.write:managed`. Without a reach
 * it goes as far as an administrator's.
 * @returns undefined for a privilege that does not exist, or one that nobody has with this reach: what it would let
 * through nothing would narrow.
 */
export function parseGrant(text: string): Grant | undefined {
  const [name = "", scope, more] = text.split(":");
  if (more !== undefined || !isPrivilege(name)) return undefined;
  const reach = scope ?? widestScope(name);
  return isScope(reach) && scopesOf(name).includes(reach) ? { privilege: name, scope: reach } : undefined;
}

/** The one way to write a grant. */
export function toGrantText({ privilege, scope }: Grant): string {
  return scope === widestScope(privilege) ? privilege : `${privilege}:${scope}`;
}

/** What may be said of a key or a custom role. */
export function isGrant(text: string): boolean {
  return parseGrant(text) !== undefined;
}

/** How far a privilege can reach: as far as it does for some built-in role. */
export function scopesOf(privilege: Privilege): Scope[] {
  return [...new Set<Scope>(Object.values(privileges[privilege].reach))];
}

/** Every privilege, in the order of the table. */
export const privilegeNames: readonly Privilege[] = Object.keys(privileges).filter(isPrivilege);

/** All that a built-in role may. */
export function grantsOfRole(role: RoleName): Grant[] {
  return privilegeNames.flatMap((privilege) => {
    const reach: Partial<Record<RoleName, Scope>> = privileges[privilege].reach;
    const scope = reach[role];
    return scope === undefined ? [] : [{ privilege, scope }];
  });
}

/** Whether a viewer may themselves what a grant would let another do. */
export function covers(viewer: Viewer, { privilege, scope }: Grant): boolean {
  const own = viewer.scope(privilege);
  return own === "all" || own === scope;
}

function widestScope(privilege: Privilege): Scope {
  return privileges[privilege].reach.admin;
}

/** The viewer that a built-in role makes of a person. */
export function viewerOfRole(user_id: number, role: RoleName): Viewer {
  return {
    user_id,
    scope: (privilege) => {
      const reach: Partial<Record<RoleName, Scope>> = privileges[privilege].reach;
      return reach[role];
    },
  };
}

/**
 * The viewer that a list of grants makes of a person or a key.
 * @param grants null for everything.
 */
export function viewerOfGrants(user_id: number | null, grants: readonly string[] | null): Viewer {
  if (grants === null) return { user_id, scope: () => "all" };
  const scopes = new Map<string, Scope>();
  for (const text of grants) {
    const grant = parseGrant(text);
    if (grant !== undefined) scopes.set(grant.privilege, grant.scope);
  }
  return { user_id, scope: (privilege) => scopes.get(privilege) };
}

function isPrivilege(name: string): name is Privilege {
  return Object.hasOwn(privileges, name);
}

function isScope(text: string): text is Scope {
  return text === "all" || text === "managed" || text === "own";
}
