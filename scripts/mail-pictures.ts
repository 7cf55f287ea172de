import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import sharp from "sharp";
import { renderMail } from "../server/mail/rendering/render.ts";
import { peopleOf } from "../server/test/mail-people.ts";
import { sampleMails } from "../server/test/mail-samples.ts";
import { type Locale, locales } from "../server/users/schema.ts";

// Renders every kind of mail in every language into a folder: as text, as HTML, and as pictures of each look, with one
// sheet for each language and look. Takes the folder, then the languages (all, when none is given). Wants Debian's
// packages chromium, fonts-noto-core and fonts-noto-cjk.
const looks = [
  { look: "light", colorScheme: "light", width: 720 },
  { look: "dark", colorScheme: "dark", width: 720 },
  { look: "phone", colorScheme: "light", width: 360 },
  { look: "phone-dark", colorScheme: "dark", width: 360 },
] as const;
type Look = (typeof looks)[number];

const SHEET_COLUMNS = 5;
const SHEET_CELL = { width: 400, height: 620, gap: 12 } as const;

const [folder = join(tmpdir(), "lectern-mails"), ...wanted] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium" });
for (const locale of locales.filter((one) => wanted.length === 0 || wanted.includes(one)))
  await drawAll(browser, locale);
await browser.close();
console.log(`They are in ${folder}.`);

async function drawAll(drawer: Browser, locale: Locale): Promise<void> {
  const mails = sampleMails(locale, peopleOf[locale]).map(({ name, content }) => ({
    name,
    ...renderMail(content),
  }));
  for (const { name, subject, text, html } of mails) {
    await writeFile(join(folder, `${locale}-${name}.txt`), `${subject}\n\n${text}`);
    await writeFile(join(folder, `${locale}-${name}.html`), html);
  }
  for (const look of looks) {
    const pictures = await drawLook(drawer, mails, look);
    for (const { name, picture } of pictures)
      await writeFile(join(folder, `${locale}-${name}-${look.look}.png`), picture);
    await writeFile(
      join(folder, `sheet-${locale}-${look.look}.png`),
      await sheet(pictures.map(({ picture }) => picture)),
    );
  }
  console.log(`${locale}: ${mails.length} mails`);
}

async function drawLook(
  drawer: Browser,
  mails: readonly { readonly name: string; readonly html: string }[],
  { look, colorScheme, width }: Look,
): Promise<{ readonly name: string; readonly picture: Buffer }[]> {
  const page = await drawer.newPage({ colorScheme, viewport: { width, height: 400 } });
  const pictures = [];
  for (const { name, html } of mails) {
    await page.setContent(html);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    if (overflow !== 0) console.error(`${name}, ${look}: ${String(overflow)} px too wide`);
    pictures.push({ name, picture: await page.screenshot({ fullPage: true }) });
  }
  await page.close();
  return pictures;
}

/** All mails beside each other, small, each from its top. */
async function sheet(pictures: readonly Buffer[]): Promise<Buffer> {
  const { width, height, gap } = SHEET_CELL;
  const cells = await Promise.all(
    pictures.map((picture) =>
      sharp(picture)
        .resize({ width, height, fit: "contain", position: "top", background: "#888888" })
        .toBuffer(),
    ),
  );
  const rows = Math.ceil(cells.length / SHEET_COLUMNS);
  return sharp({
    create: {
      width: SHEET_COLUMNS * (width + gap) + gap,
      height: rows * (height + gap) + gap,
      channels: 3,
      background: "#888888",
    },
  })
    .composite(
      cells.map((input, index) => ({
        input,
        left: gap + (index % SHEET_COLUMNS) * (width + gap),
        top: gap + Math.floor(index / SHEET_COLUMNS) * (height + gap),
      })),
    )
    .png()
    .toBuffer();
}
