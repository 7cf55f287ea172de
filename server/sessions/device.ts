/** What is kept of how a browser calls itself that is not known here, in characters. */
const MOST_UNKNOWN_CHARACTERS = 60;
/** For a browser that says nothing of itself. */
const NAMELESS = "–";

/** Those that claim to be others too stand before them. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera|OPiOS)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|Chromium|CriOS)\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac(?:intosh| OS X)\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/**
 * Says what a User-Agent header stands for, in names that are the same in every language, such as `Firefox (Windows)`.
 * Versions are left out: a browser that was updated is the one that it was. What is not known here is the header's beginning.
 */
export function deviceOf(user_agent = ""): string {
  const browser = findName(browsers, user_agent);
  const system = findName(systems, user_agent);
  if (browser !== undefined && system !== undefined) return `${browser} (${system})`;
  const words = user_agent.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return Array.from(words).slice(0, MOST_UNKNOWN_CHARACTERS).join("").trim() || NAMELESS;
}

function findName(names: readonly (readonly [RegExp, string])[], user_agent: string): string | undefined {
  return names.find(([expression]) => expression.test(user_agent))?.[1];
}
