import { LONGEST_HEADER } from "./input-limits.ts";

/** The languages that developers are written to in, by their own names. */
const languages = { en: "English", de: "Deutsch" } as const;

/** One of them. */
export type Language = keyof typeof languages;

/** The language of a tag such as `de-AT`; undefined: there are no texts in it. */
export function languageOf(tag: string): Language | undefined {
  const first = tag.toLowerCase().split("-")[0] ?? "";
  // as: it is one of the names.
  return Object.hasOwn(languages, first) ? first as Language : undefined;
}

/** The first language of `Accept-Language` that there is; undefined: none of them. */
export function acceptedLanguage(header: string | null): Language | undefined {
  return preferred(header).map(languageOf).find((one) => one !== undefined);
}

/** The languages of `Accept-Language`, the dearest first (RFC 9110, 12.5.4). */
function preferred(header: string | null): string[] {
  if (header === null || header.length > LONGEST_HEADER) return [];
  return header.split(",").map((part) => {
    const [tag = "", ...rest] = part.trim().split(";");
    const weight = rest.map((one) => /^\s*q=([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean);
    return { tag, weight: weight === undefined ? 1 : Number(weight) };
  }).filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight).map(({ tag }) => tag);
}
