/** Whether an address is of version 2, whose habits differ from those of the contract's versions 1 and 1.1. */
export function isOfVersion2(url: string): boolean {
  return url.startsWith("/api/v2/") || url === "/api/v2";
}
