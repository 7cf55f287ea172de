/** Where people find a lesson, path or course: to look at it as its author, and to share it with learners. */
export interface Links {
  readonly overview: string;
  readonly shareable: string;
}

/** Gives the addresses under a base without a slash at its end. Who follows one is served by the id in it alone. */
export function links(
  baseUrl: string,
  kind: "lesson" | "path" | "course",
  { id, title }: { readonly id: number; readonly title: string },
): Links {
  const words = slug(title);
  const name = words === "" ? String(id) : `${id}-${words}`;
  return { overview: `${baseUrl}/${kind}s/${name}`, shareable: `${baseUrl}/${kind}/${name}` };
}

/** Gives the title's ASCII letters and digits in lower case, with a hyphen for all between them; it may be empty. */
export function slug(title: string): string {
  return title
    .normalize("NFKD")
    .replaceAll(/\p{Mark}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, LONGEST_SLUG)
    .replace(/-$/, "");
}

/** Characters, so that an address with it fits on a line. */
const LONGEST_SLUG = 80;
