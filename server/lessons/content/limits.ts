/** Blocks of a whole lesson: some days of reading, and what a page of the player or a report can hold. */
export const MOST_BLOCKS = 2_000;

/** Sections of a lesson: more can't be found their way through. */
export const MOST_SECTIONS = 200;

/** Pages of one section. */
export const MOST_PAGES = 500;

/** Choices, pairs, items, blanks or rubric rows of one question. */
export const MOST_ITEMS = 100;

/** Hints of one question. */
export const MOST_HINTS = 10;

/** Levels of rich text inside each other, the document being the first: a list in a list in a list has 8. */
export const MOST_RICH_TEXT_LEVELS = 20;

/** Levels of JSON that sections, pages and blocks add around rich text, and a node's marks and their attributes in it. */
export const MOST_LEVELS = 2 * MOST_RICH_TEXT_LEVELS + 12;

/** Characters of one text: a chapter. */
export const MOST_TEXT_CHARACTERS = 100_000;

/** Characters of a text on one line, such as a title, a choice or a caption. */
export const MOST_LINE_CHARACTERS = 2_000;

/** Bytes of a whole lesson as JSON or as Markdown: as much as a request's body. */
export const MOST_BYTES = 1_000_000;

/** Values of a whole lesson (objects, arrays, texts, numbers): far above what 1 MB of honest content has. */
export const MOST_VALUES = 100_000;

/** Characters of an address, as far as every browser takes them. */
export const MOST_URL_CHARACTERS = 2_000;

/** Seconds of a practice recording. */
export const MOST_RECORDING_SECONDS = 3_600;
