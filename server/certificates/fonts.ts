import { readFile } from "node:fs/promises";
import { GlobalFonts } from "@napi-rs/canvas";

/** Each cut into slices by what is written with it, of which a list says which signs it has. The first that has one is taken. */
const fonts = [
  { font: "noto-sans", list: import.meta.resolve("@fontsource-variable/noto-sans/unicode.json") },
  {
    font: "noto-sans-arabic",
    list: import.meta.resolve("@fontsource-variable/noto-sans-arabic/unicode.json"),
  },
  { font: "noto-sans-jp", list: import.meta.resolve("@fontsource-variable/noto-sans-jp/unicode.json") },
  { font: "noto-sans-sc", list: import.meta.resolve("@fontsource-variable/noto-sans-sc/unicode.json") },
] as const;

/** A part of a font that is a file of its own. */
interface Slice {
  readonly name: string;
  readonly file: URL;
  /** Pairs of the first and the last sign. */
  readonly ranges: readonly (readonly [number, number])[];
}

/**
 * Loads what it takes to draw texts.
 * @param locale of zh-CN the signs that Chinese and Japanese share are drawn as the Chinese do.
 * @returns the names of the fonts, as the canvas's `font` takes them.
 */
export async function loadFonts(texts: readonly string[], locale: string): Promise<string> {
  const slices = await (locale === "zh-CN" ? chineseFirst() : japaneseFirst());
  const needed = new Set<Slice>();
  for (const sign of new Set(texts.join(""))) {
    const code = sign.codePointAt(0) ?? 0;
    const slice = slices.find(({ ranges }) => ranges.some(([first, last]) => code >= first && code <= last));
    if (slice !== undefined) needed.add(slice);
  }
  await Promise.all([...needed].map(register));
  return [...needed].map(({ name }) => `"${name}"`).join(", ");
}

const registered = new Map<string, Promise<void>>();

/** Each slice once in a process: what is loaded stays. */
function register({ name, file }: Slice): Promise<void> {
  const known = registered.get(name);
  if (known !== undefined) return known;
  const loading = readFile(file).then((font) => {
    if (GlobalFonts.register(font, name) === null) throw new Error(`${file.href} is no font`);
  });
  registered.set(name, loading);
  // What could not be read is tried again the next time.
  loading.catch(() => registered.delete(name));
  return loading;
}

let all: Promise<Slice[]> | undefined;

function japaneseFirst(): Promise<Slice[]> {
  all ??= Promise.all(fonts.map(readSlices)).then((slices) => slices.flat());
  return all;
}

async function chineseFirst(): Promise<Slice[]> {
  const isOf = (font: string) => (slice: Slice) => slice.name.startsWith(`${font}-`);
  const slices = await japaneseFirst();
  const japanese = slices.filter(isOf("noto-sans-jp"));
  return [...slices.filter((slice) => !japanese.includes(slice)), ...japanese];
}

async function readSlices({ font, list }: (typeof fonts)[number]): Promise<Slice[]> {
  const ranges: unknown = JSON.parse(await readFile(new URL(list), "utf8"));
  return Object.entries(Object(ranges)).map(([key, value]) => {
    const slice = key.replace(/[[\]]/g, "");
    return {
      name: `${font}-${slice}`,
      file: new URL(`files/${font}-${slice}-wght-normal.woff2`, list),
      ranges: String(value).split(",").map(toRange),
    };
  });
}

/** `U+0-FF` or `U+131` */
function toRange(text: string): readonly [number, number] {
  const [first = "", last = first] = text.trim().replace("U+", "").split("-");
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}
