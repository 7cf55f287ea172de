import { createCanvas, PDFDocument } from "@napi-rs/canvas";
import { lastDayOf } from "./validity.ts";
import type { Drawn } from "./certificates.ts";
import { loadFonts } from "./fonts.ts";
import { isRightToLeft, longDate, wordsOf } from "./words.ts";

/** What a page of a document and a picture are drawn with alike. */
type Context = ReturnType<PDFDocument["beginPage"]>;

/** A4, in points, on its long side. */
const WIDTH = 842;
const HEIGHT = 595;
/** Pixels of the picture for each point. */
const PICTURE_SCALE = 2;

/** Draws a certificate as a picture. @returns a PNG */
export async function drawPicture(drawn: Drawn): Promise<Buffer> {
  const page = await prepare(drawn);
  const canvas = createCanvas(WIDTH * PICTURE_SCALE, HEIGHT * PICTURE_SCALE);
  const context = canvas.getContext("2d");
  context.scale(PICTURE_SCALE, PICTURE_SCALE);
  draw(context, page);
  return canvas.encode("png");
}

/** Draws a certificate as a document of one page. @returns a PDF */
export async function drawPdf(drawn: Drawn): Promise<Buffer> {
  const page = await prepare(drawn);
  const document = new PDFDocument({
    title: `${page.title} – ${page.path}`,
    author: page.company,
    subject: page.number,
    creator: "Lectern",
  });
  draw(document.beginPage(WIDTH, HEIGHT), page);
  document.endPage();
  return document.close();
}

interface Fact {
  readonly label: string;
  readonly value: string;
}

/** All that stands on a certificate. */
interface Page {
  readonly fonts: string;
  readonly direction: "ltr" | "rtl";
  readonly locale: string;
  readonly company: string;
  readonly title: string;
  readonly awarded_to: string;
  readonly holder: string;
  readonly for_completing: string;
  readonly path: string;
  readonly number: string;
  readonly facts: readonly Fact[];
}

async function prepare({ row, locale, company_name, time_zone }: Drawn): Promise<Page> {
  const words = wordsOf(locale);
  const facts = [{ label: words.issued_on, value: longDate(row.issued_at, { locale, time_zone }) }];
  facts.push({ label: words.number, value: row.number });
  if (row.expires_at !== null) {
    const last = `${lastDayOf(row.expires_at, time_zone)} 00:00:00+00`;
    facts.push({ label: words.valid_until, value: longDate(last, { locale, time_zone: "UTC" }) });
  }
  const page = {
    direction: isRightToLeft(locale) ? ("rtl" as const) : ("ltr" as const),
    locale,
    company: company_name,
    title: words.certificate,
    awarded_to: words.awarded_to,
    holder: row.user_name,
    for_completing: words.for_completing,
    path: row.path_title,
    number: row.number,
    facts,
  };
  const texts = ["…", page.company, page.title, page.awarded_to, page.holder, page.for_completing, page.path];
  const fonts = await loadFonts([...texts, ...facts.flatMap(({ label, value }) => [label, value])], locale);
  return { ...page, fonts };
}

const INK = "#1c2733";
const PALE = "#5b6875";
const ACCENT = "#1f5f8b";
const LINE = "#c9d6e0";
const MARGIN = 36;
const TEXT_WIDTH = WIDTH - 4 * MARGIN;

function draw(context: Context, page: Page): void {
  drawFrame(context);
  context.direction = page.direction;
  context.lang = page.locale;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  write(context, page, { text: page.company, y: 104, size: 17, weight: 600, color: PALE, lines: 1 });
  write(context, page, { text: page.title, y: 172, size: 46, weight: 700, color: ACCENT, lines: 1 });
  write(context, page, { text: page.awarded_to, y: 222, size: 15, weight: 400, color: PALE, lines: 1 });
  write(context, page, { text: page.holder, y: 278, size: 38, weight: 600, color: INK, lines: 2 });
  write(context, page, { text: page.for_completing, y: 350, size: 15, weight: 400, color: PALE, lines: 1 });
  write(context, page, { text: page.path, y: 392, size: 26, weight: 600, color: INK, lines: 2 });
  drawFacts(context, page);
}

function drawFrame(context: Context): void {
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.strokeStyle = ACCENT;
  context.lineWidth = 3;
  context.strokeRect(MARGIN, MARGIN, WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN);
  context.strokeStyle = LINE;
  context.lineWidth = 1;
  context.strokeRect(MARGIN + 8, MARGIN + 8, WIDTH - 2 * MARGIN - 16, HEIGHT - 2 * MARGIN - 16);
}

interface Line {
  readonly text: string;
  /** The baseline of the first line. */
  readonly y: number;
  readonly size: number;
  readonly weight: number;
  readonly color: string;
  /** How many lines it may take; what is longer is written smaller, and at last cut. */
  readonly lines: 1 | 2;
}

/** Below this nobody reads it. */
const SMALLEST = 13;

function write(context: Context, page: Page, line: Line): void {
  context.fillStyle = line.color;
  for (let size = line.size; ; size -= 1) {
    useFont(context, page, { ...line, size });
    // In two lines what is shorter than three quarters of the largest size is easier to read than in one.
    const most = line.lines === 2 && size <= line.size * 0.75 ? 2 : 1;
    const rows = breakEvenly(context, page, line.text);
    const isLast = size <= SMALLEST;
    if (rows.length > most && !isLast) continue;
    const shown = rows.length > most ? [...rows.slice(0, most - 1), `${rows[most - 1] ?? ""}…`] : rows;
    for (const [index, row] of shown.entries()) context.fillText(row, WIDTH / 2, line.y + index * size * 1.3);
    return;
  }
}

function useFont(
  context: Context,
  { fonts }: Page,
  { size, weight }: { size: number; weight: number },
): void {
  context.font = `${size}px ${fonts}`;
  context.fontVariationSettings = `"wght" ${weight}`;
}

/** How much wider the lines may be than before, when what takes two lines is made of two that are alike. */
const WIDTH_STEP = 24;

/** Breaks a text into lines that fit. Of two lines the second is not left with a word or two. */
function breakEvenly(context: Context, page: Page, text: string): string[] {
  const rows = breakLines(context, { ...page, text, width: TEXT_WIDTH });
  if (rows.length !== 2) return rows;
  for (let width = TEXT_WIDTH / 2; width < TEXT_WIDTH; width += WIDTH_STEP) {
    const narrower = breakLines(context, { ...page, text, width });
    if (narrower.length <= 2) return narrower;
  }
  return rows;
}

/** Breaks a text where its language lets one, so that each line fits; a word that is too long within itself. */
function breakLines(
  context: Context,
  { text, width, locale }: { readonly text: string; readonly width: number; readonly locale: string },
): string[] {
  const isWide = (row: string) => context.measureText(row.trim()).width > width;
  const rows: string[] = [];
  let row = "";
  for (const { segment } of new Intl.Segmenter(locale, { granularity: "word" }).segment(text)) {
    for (const piece of isWide(segment) ? signsOf(segment, locale) : [segment]) {
      // A sign that ends something never begins a line.
      if (row !== "" && isWide(row + piece) && !/^[\p{Pe}\p{Po}\p{Pf}]+$/u.test(piece)) {
        rows.push(row.trim());
        row = "";
      }
      row += piece;
    }
  }
  return [...rows, row.trim()];
}

/** What a reader takes for single signs. */
function signsOf(text: string, locale: string): string[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The facts stand side by side at the foot, the first where reading begins. */
function drawFacts(context: Context, page: Page): void {
  const { facts, direction } = page;
  const y = HEIGHT - MARGIN - 78;
  context.strokeStyle = LINE;
  context.beginPath();
  context.moveTo(2 * MARGIN, y);
  context.lineTo(WIDTH - 2 * MARGIN, y);
  context.stroke();
  const width = TEXT_WIDTH / facts.length;
  for (const [index, { label, value }] of facts.entries()) {
    const place = direction === "rtl" ? facts.length - 1 - index : index;
    const x = 2 * MARGIN + (place + 0.5) * width;
    context.fillStyle = PALE;
    useFont(context, page, { size: 11, weight: 400 });
    context.fillText(label, x, y + 24);
    context.fillStyle = INK;
    useFont(context, page, { size: 13, weight: 600 });
    context.fillText(value, x, y + 44);
  }
}
