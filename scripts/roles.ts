import { privilegeNames, privileges, type RoleName, scopesOf } from "../server/privileges/privileges.ts";

const roles: readonly RoleName[] = ["admin", "creator", "manager", "learner"];

/** docs/roles.md, made from the table that the code reads. */
export function rolesText(): string {
  const rows = privilegeNames.map((name) => {
    const reach: Partial<Record<RoleName, string>> = privileges[name].reach;
    const cells = roles.map((role) => reach[role] ?? "—");
    return `| \`${name}\` | ${privileges[name].means} | ${scopesOf(name).join(", ")} | ${cells.join(" | ")} |`;
  });
  return [...intro, ...rows, ...outro].join("\n");
}

const intro = [
  "# Roles and privileges",
  "",
  "<!-- Made by `npm run generate` from server/privileges/privileges.ts: change that, not this. -->",
  "",
  "Every operation of the API names the one privilege that it needs; who lacks it is answered 403 with its name. A",
  "privilege reaches so far:",
  "",
  "- **all**: everything of the company;",
  "- **managed**: the members of the groups that one manages, archived groups left out, and what is theirs;",
  "- **own**: one's own lessons and paths and those that their owners share with one, one's own files and results.",
  "",
  "What lies outside of one's reach is answered as if it were not there: 404, and missing from lists.",
  "",
  `| Privilege | What it lets do | Can reach | ${roles.join(" | ")} |`,
  `| --- | --- | --- | ${roles.map(() => "---").join(" | ")} |`,
];

const outro = [
  "",
  "## Roles of one's own",
  "",
  "The four built-in roles are the same in every company. `POST /api/v2/roles` makes others, with ids from 100, of named",
  "privileges, each with a reach that the table has for it, such as `users.read:managed`; without one it reaches as far",
  "as it can. A role that somebody has can't be deleted.",
  "",
  "Nobody gives more than they have: who makes a role or a key, or gives somebody a role, needs every privilege of it, as",
  "far as it reaches; `learn` aside, as it reaches nobody but oneself. Nor can anybody change, archive or erase a user",
  "whose role may more than they. Nobody archives or erases themselves.",
  "",
  "## API keys",
  "",
  "A key has privileges as roles have, all of them for the whole company, or everything. It is the company's: it goes on",
  "when who made it is archived or gone, until it expires or is revoked. It is nobody, so it has no `learn`, and what only a",
  "person can do is answered 403. It makes and changes users whose roles have `learn` all the same. Version 1 asks the",
  "same of keys.",
  "",
];
