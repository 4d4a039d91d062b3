/** Longer ones are not looked at. */
const LONGEST_USER_AGENT = 1024;

/**
 * The browsers' names in their user agents, the more special first: nearly all include Safari too.
 */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera|OPiOS)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|HeadlessChrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

/** The systems' names; iPhones claim to be like Mac OS X, Androids to be Linux. */
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

/**
 * A browser in words out of its `User-Agent`, such as "Firefox on Linux"; only these words are ever
 * kept of it.
 */
export function browserName(userAgent: string | null): string {
  const text = userAgent !== null && userAgent.length <= LONGEST_USER_AGENT ? userAgent : "";
  const browser = wordFor(browsers, text);
  const system = wordFor(systems, text);
  if (browser === undefined) return system === undefined ? "" : `A browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}

function wordFor(words: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return words.find(([pattern]) => pattern.test(text))?.[1];
}
