import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { GlobalFonts } from "@napi-rs/canvas";

/** Each cut into slices by what is written with it. Of two that have a sign the first is taken. */
const packages = ["noto-sans", "noto-sans-arabic", "noto-sans-jp", "noto-sans-sc"] as const;

const { resolve } = createRequire(import.meta.url);

/** A part of a font that is a file of its own. */
interface Slice {
  readonly name: string;
  readonly file: string;
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
    if (GlobalFonts.register(font, name) === null) throw new Error(`${file} is no font`);
  });
  registered.set(name, loading);
  // What could not be read is tried again the next time.
  loading.catch(() => registered.delete(name));
  return loading;
}

let all: Promise<Slice[]> | undefined;

function japaneseFirst(): Promise<Slice[]> {
  all ??= Promise.all(packages.map(readSlices)).then((slices) => slices.flat());
  return all;
}

async function chineseFirst(): Promise<Slice[]> {
  const isOf = (font: string) => (slice: Slice) => slice.name.startsWith(`${font}-`);
  const slices = await japaneseFirst();
  const japanese = slices.filter(isOf("noto-sans-jp"));
  return [...slices.filter((slice) => !japanese.includes(slice)), ...japanese];
}

async function readSlices(font: (typeof packages)[number]): Promise<Slice[]> {
  const folder = `@fontsource-variable/${font}`;
  const ranges: unknown = JSON.parse(await readFile(resolve(`${folder}/unicode.json`), "utf8"));
  return Object.entries(Object(ranges)).map(([key, value]) => {
    const slice = key.replace(/[[\]]/g, "");
    return {
      name: `${font}-${slice}`,
      file: resolve(`${folder}/files/${font}-${slice}-wght-normal.woff2`),
      ranges: String(value).split(",").map(toRange),
    };
  });
}

/** `U+0-FF` or `U+131` */
function toRange(text: string): readonly [number, number] {
  const [first = "", last = first] = text.trim().replace("U+", "").split("-");
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}
