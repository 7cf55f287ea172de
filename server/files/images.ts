import sharp, { type Metadata, type Sharp } from "sharp";
import { unprocessable } from "../http/problem.ts";

/** Over all frames: a small file can hold a picture that fills the memory. The largest cameras of phones fit. */
const MOST_PIXELS = 50_000_000;
/** WebP can't be larger. */
const MOST_EDGE_PIXELS = 16_383;
/** Nobody waits longer for a picture. */
const TIMEOUT_SECONDS = 60;
/** The widths in which a picture can be had, where it is wider. */
const WIDTHS = [320, 960, 1920] as const;
const QUALITY = 86;

// libvips reads far more formats than people may upload, by libraries of which each is another way in.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["Jpeg", "Png", "Webp", "Nsgif", "Heif"].map((format) => `VipsForeignLoad${format}`),
});
// No picture is read twice.
sharp.cache(false);

/** A picture as it is stored: written anew from its pixels, so nothing else of what was uploaded is left. */
export interface Picture {
  readonly variant: "original" | "320" | "960" | "1920";
  readonly media_type: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}

/** One picture at a time in each process, as each may take some hundred MiB. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Writes a picture anew, turned as its camera was held, without metadata, and in smaller sizes. One that moves keeps
 * moving and has no smaller sizes.
 * @param read gives the bytes; called when it is this picture's turn.
 * @param store is called with each of the pictures, one after the other.
 * @throws Problem 422 for what is no picture of this type, is broken or too large.
 */
export async function rewritePicture(
  media_type: string,
  read: () => Promise<Buffer>,
  store: (picture: Picture) => Promise<void>,
): Promise<void> {
  const mine = turn.then(async () => {
    const bytes = await read();
    const { pages = 1, width } = await check(bytes, media_type);
    await store(await write(open(bytes, pages > 1), "original", media_type));
    for (const smaller of pages > 1 ? [] : WIDTHS.filter((each) => each < width)) {
      const resized = open(bytes, false).resize({ width: smaller, withoutEnlargement: true });
      await store(await write(resized, `${smaller}`, "image/webp"));
    }
  });
  turn = mine.catch(() => undefined);
  await mine;
}

function open(bytes: Buffer, animated: boolean): Sharp {
  return sharp(bytes, { limitInputPixels: MOST_PIXELS, sequentialRead: true, animated })
    .autoOrient()
    .timeout({ seconds: TIMEOUT_SECONDS });
}

/** Looks at the head alone: no pixel is read of what is too large. */
async function check(bytes: Buffer, media_type: string): Promise<Metadata> {
  // Without a limit of its own here: it would say less clearly what is wrong.
  const metadata = await sharp(bytes, { limitInputPixels: false }).metadata().catch(refuseBroken);
  const { width, height, format, pages = 1, autoOrient } = metadata;
  const read = format === "heif" ? "avif" : format;
  if (media_type !== `image/${read}`) throw unprocessable("This picture is not what its first bytes say");
  if (width * height * pages > MOST_PIXELS) {
    throw unprocessable(
      `This picture has more than ${MOST_PIXELS / 1_000_000} million pixels: make it smaller`,
    );
  }
  if (Math.max(width, height) > MOST_EDGE_PIXELS) {
    throw unprocessable(`This picture is wider or higher than ${MOST_EDGE_PIXELS} pixels: make it smaller`);
  }
  return { ...metadata, width: autoOrient.width };
}

async function write(picture: Sharp, variant: Picture["variant"], media_type: string): Promise<Picture> {
  const { data, info } = await encode(picture, media_type)
    .toBuffer({ resolveWithObject: true })
    .catch(refuseBroken);
  return {
    variant,
    media_type: storedAs(media_type),
    width: info.width,
    height: info.pageHeight ?? info.height,
    bytes: data,
  };
}

function encode(picture: Sharp, media_type: string): Sharp {
  switch (media_type) {
    case "image/jpeg":
      return picture.jpeg({ quality: QUALITY });
    case "image/png":
      return picture.png();
    case "image/gif":
      return picture.gif();
    default:
      return picture.webp({ quality: QUALITY });
  }
}

/** To write AVIF takes minutes for a large picture, so it is stored as WebP. */
function storedAs(media_type: string): string {
  return media_type === "image/avif" ? "image/webp" : media_type;
}

function refuseBroken(): never {
  throw unprocessable("This picture is broken: open it in a program for pictures and save it again");
}
