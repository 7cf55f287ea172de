/** What a file is to people; `download` is what a browser must never show, as it could run scripts in our name. */
export type Kind = "image" | "video" | "audio" | "document" | "download";

/** What bytes turned out to be. */
export interface Sniffed {
  readonly kind: Kind;
  readonly media_type: string;
  /** How names of such files end; the first one is added to a name that ends otherwise. */
  readonly extensions: readonly string[];
}

/** How many of the first bytes are looked at. */
export const HEAD_BYTES = 262_144;

/** What people may upload, in words for those who tried something else. */
export const ALLOWED =
  "pictures (PNG, JPEG, WebP, GIF, AVIF), videos (MP4, WebM), audio (MP3, M4A, Ogg, WAV, WebM), " +
  "PDF, Word, Excel, PowerPoint, ZIP, plain text, CSV, WebVTT, HTML and SVG";

/**
 * Tells what a file is by its first bytes, whatever it is called.
 * @returns undefined for what may not be uploaded. What `mustBeText` is allowed only if all of it is.
 */
export async function sniff(head: Buffer, name: string): Promise<Sniffed | undefined> {
  // Loaded with the first file, as most processes never get one.
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(head);
  if (found === undefined || found.mime === "application/xml" || found.mime.startsWith("text/")) {
    return sniffText(head, name);
  }
  const known = knownTypes.get(found.mime);
  // A recording of a browser without a camera is the same container.
  if (found.mime === "video/webm" && !/V_(VP8|VP9|AV1|MPEG)/.test(head.toString("latin1"))) return audioWebm;
  return known;
}

/** Whether what is told of a file holds only if all of it is text. */
export function mustBeText({ media_type, kind }: Sniffed): boolean {
  return media_type.startsWith("text/") || kind === "download";
}

/** A name that ends as files of its type do, so that who opens a download opens what it is. */
export function nameAs({ extensions }: Sniffed, name: string): string {
  const lower = name.toLowerCase();
  const [first = ""] = extensions;
  return extensions.some((extension) => lower.endsWith(`.${extension}`)) ? name : `${name}.${first}`;
}

/** Says whether chunks of bytes together are UTF-8 text without the control characters that only programs use. */
export class TextCheck {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #isText = true;

  take(chunk: Uint8Array | undefined): void {
    if (!this.#isText) return;
    try {
      const text = this.#decoder.decode(chunk, { stream: chunk !== undefined });
      // oxlint-disable-next-line no-control-regex -- Control characters are what is looked for.
      this.#isText = !/[\u0000-\u0008\u000e-\u001f\u007f]/.test(text);
    } catch {
      this.#isText = false;
    }
  }

  /** To be called once, at the end. */
  finish(): boolean {
    this.take(undefined);
    return this.#isText;
  }
}

/** What makes a browser that guesses take a text for a page or a drawing. */
const MARKUP = /<(?:!doctype|html|head|body|script|svg|iframe|math|\?xml)\b/i;

function sniffText(head: Buffer, name: string): Sniffed | undefined {
  const text = head.toString("utf8").replace(/^\uFEFF/, "");
  if (text.trimStart().startsWith("<") || MARKUP.test(text)) {
    const extensions = /<svg\b/i.test(text) ? ["svg", "html", "htm", "xml"] : ["html", "htm", "svg", "xml"];
    return { kind: "download", media_type: "application/octet-stream", extensions };
  }
  if (/^WEBVTT[ \t\r\n]/.test(text)) return { kind: "document", media_type: "text/vtt", extensions: ["vtt"] };
  if (/\.csv$/i.test(name)) return { kind: "document", media_type: "text/csv", extensions: ["csv"] };
  return { kind: "document", media_type: "text/plain", extensions: ["txt", "md", "log", "tsv", "srt"] };
}

const audioWebm = is("audio", "audio/webm", "webm", "weba");
const png = is("image", "image/png", "png");
const mp4 = is("video", "video/mp4", "mp4", "m4v");
const m4a = is("audio", "audio/mp4", "m4a", "mp4");
const ogg = is("audio", "audio/ogg", "ogg", "oga", "opus");
const office = "application/vnd.openxmlformats-officedocument";
const word = `${office}.wordprocessingml.document`;
const excel = `${office}.spreadsheetml.sheet`;
const powerPoint = `${office}.presentationml.presentation`;

/** What file-type says, and what we make of it. */
const knownTypes = new Map<string, Sniffed>([
  ["image/png", png],
  ["image/apng", png],
  ["image/jpeg", is("image", "image/jpeg", "jpg", "jpeg")],
  ["image/webp", is("image", "image/webp", "webp")],
  ["image/gif", is("image", "image/gif", "gif")],
  // It is stored as WebP: to write AVIF takes minutes for a large picture.
  ["image/avif", is("image", "image/avif", "webp")],
  ["video/mp4", mp4],
  ["video/x-m4v", mp4],
  ["video/webm", is("video", "video/webm", "webm")],
  ["audio/mpeg", is("audio", "audio/mpeg", "mp3")],
  ["audio/x-m4a", m4a],
  ["audio/mp4", m4a],
  ["audio/ogg", ogg],
  ["audio/ogg; codecs=opus", ogg],
  ["audio/wav", is("audio", "audio/wav", "wav")],
  ["application/pdf", is("document", "application/pdf", "pdf")],
  ["application/zip", is("document", "application/zip", "zip")],
  [word, is("document", word, "docx")],
  [excel, is("document", excel, "xlsx")],
  [powerPoint, is("document", powerPoint, "pptx")],
]);

function is(kind: Kind, media_type: string, ...extensions: string[]): Sniffed {
  return { kind, media_type, extensions };
}
