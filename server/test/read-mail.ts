/** A mail as a mail program reads it. */
export interface ReadMail {
  /** Every header in order, unfolded and decoded, its name in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  readonly html: string;
  /** The transfer encodings of the parts. */
  readonly encodings: readonly string[];
}

/** Reads a mail of plain text and HTML, by the rules of RFC 5322, 2045 and 2047 and independent of what wrote it. */
export function readMail(raw: string): ReadMail {
  const { headers, body } = splitHead(raw);
  const boundary = /boundary="([^"]+)"/.exec(headerOf(headers, "content-type"))?.[1];
  const pieces = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1);
  const parts = pieces.map((piece) => splitHead(piece.replace(/^\r\n/, "")));
  const readPart = (type: string) => {
    const part = parts.find(({ headers }) => headerOf(headers, "content-type").startsWith(type));
    return part === undefined
      ? ""
      : decodeBody(part.body, headerOf(part.headers, "content-transfer-encoding"));
  };
  return {
    headers: headers.map(([name, value]) => [name, decodeWords(value)]),
    text: readPart("text/plain"),
    html: readPart("text/html"),
    encodings: parts.map(({ headers }) => headerOf(headers, "content-transfer-encoding")),
  };
}

function splitHead(raw: string) {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replace(/\r\n(?=[ \t])/g, "")
    .split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { headers, body: raw.slice(end + 4) };
}

function headerOf(headers: readonly (readonly [string, string])[], wanted: string): string {
  return headers.find(([name]) => name === wanted)?.[1] ?? "";
}

function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === "B"
        ? Buffer.from(word, "base64").toString("utf8")
        : decodeQuoted(word.replaceAll("_", " ")),
    );
}

function decodeBody(body: string, encoding: string): string {
  const text = body.replace(/\r\n$/, "");
  if (encoding === "base64") return Buffer.from(text, "base64").toString("utf8");
  return encoding === "quoted-printable" ? decodeQuoted(text.replace(/=\r\n/g, "")) : text;
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
