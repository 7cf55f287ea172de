import type { Answer, Client } from "./server.ts";

/** Whoever may upload: a company's key, or a person. */
type Uploader = Pick<Client, "post" | "request">;

/** Sends a part of an upload. */
export function sendPart(
  by: Uploader,
  { id, number, bytes }: { readonly id: number; readonly number: number; readonly bytes: Buffer },
): Promise<Answer> {
  return by.request({
    method: "PUT",
    url: `/api/v2/uploads/${id}/parts/${number}`,
    headers: { "content-type": "application/octet-stream" },
    payload: bytes,
  });
}

/** Uploads bytes, and gives the answer of completing. */
export async function tryUpload(
  by: Uploader,
  { name, bytes }: { readonly name: string; readonly bytes: Buffer },
): Promise<Answer> {
  const begun = await by.post("/api/v2/uploads", { name, size: bytes.length });
  if (begun.status !== 201) return begun;
  const { id, part_size, parts } = begun.body;
  for (let number = 1; number <= parts; number += 1) {
    const part = bytes.subarray((number - 1) * part_size, number * part_size);
    const { status, body } = await sendPart(by, { id, number, bytes: part });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
  return by.post(`/api/v2/uploads/${id}/complete`);
}

/** Uploads bytes and gives the file. */
export async function upload(
  by: Uploader,
  given: { readonly name: string; readonly bytes: Buffer },
): Promise<Answer["body"]> {
  const { status, body } = await tryUpload(by, given);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

/** The path of a signed address, as the app is called without a network. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
