/** Hosts whose pages may be shown inside of a lesson. The player puts them into a sandboxed frame. */
export const EMBED_HOSTS: readonly string[] = [
  "www.youtube-nocookie.com",
  "www.youtube.com",
  "youtube.com",
  "youtu.be",
  "player.vimeo.com",
  "vimeo.com",
  "www.loom.com",
  "loom.com",
  "fast.wistia.net",
  "view.genial.ly",
  "docs.google.com",
  "www.figma.com",
  "embed.figma.com",
];

/** An address without characters that would end an attribute or hide another address. */
const PLAIN = /^https:\/\/[^\s\p{Cc}<>"'`\\{}|^]+$/u;

/** Whether an address may be embedded: https, a host of the list, no user name and no port. */
export function isEmbeddable(address: string): boolean {
  if (!PLAIN.test(address) || !URL.canParse(address)) return false;
  const url = new URL(address);
  return (
    url.protocol === "https:" &&
    EMBED_HOSTS.includes(url.hostname) &&
    url.port === "" &&
    url.username === "" &&
    url.password === ""
  );
}
