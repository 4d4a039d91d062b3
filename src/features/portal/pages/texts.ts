import { IntlMessageFormat } from "intl-messageformat";
import { LONGEST_HEADER } from "../../../kernel/input-limits.ts";
import { PSEUDO, pseudoText } from "../../../kernel/pseudo-text.ts";
import german from "./texts-de.json" with { type: "json" };
import english from "./texts-en.json" with { type: "json" };

/** The name of a text. */
export type TextKey = keyof typeof english;

/** A catalogue: each text in ICU's message format. */
type Catalogue = Readonly<Record<TextKey, string>>;

type Values = Readonly<Record<string, string | number>>;

/** The languages that a reader may choose, by their own names. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;

/** The texts of one language, with its dates and numbers. */
export class Texts {
  readonly #catalogue: Catalogue;
  readonly #made = new Map<TextKey, IntlMessageFormat>();
  readonly #numbers: Intl.NumberFormat;
  readonly #times: Intl.DateTimeFormat;
  readonly #days: Intl.DateTimeFormat;

  /** `language`: what pages say as `lang`, and by whose rules numbers and dates are written. */
  constructor(
    readonly language: string,
    readonly direction: "ltr" | "rtl",
    catalogue: Catalogue,
  ) {
    this.#catalogue = catalogue;
    const known = direction === "rtl" ? "en" : language;
    this.#numbers = new Intl.NumberFormat(known);
    this.#times = new Intl.DateTimeFormat(known, {
      dateStyle: "medium",
      timeStyle: "long",
      timeZone: "UTC",
    });
    this.#days = new Intl.DateTimeFormat(known, { dateStyle: "medium", timeZone: "UTC" });
  }

  /** A text with its values. Throws where one is missing. */
  say(key: TextKey, values: Values = {}): string {
    let made = this.#made.get(key);
    if (!made) {
      const locale = this.direction === "rtl" ? "en" : this.language;
      made = new IntlMessageFormat(this.#catalogue[key], locale, undefined, { ignoreTag: true });
      this.#made.set(key, made);
    }
    return String(made.format(values));
  }

  /** A number, in full. */
  number(value: number): string {
    return this.#numbers.format(value);
  }

  /** An instant to the second, in UTC and with its name; the script tells the reader's zone. */
  time(timestamp: string): string {
    return this.#times.format(new Date(timestamp));
  }

  /** The day of an instant, in UTC. */
  day(timestamp: string): string {
    return this.#days.format(new Date(timestamp));
  }
}

const ALL: Readonly<Record<string, Texts>> = {
  en: new Texts("en", "ltr", english),
  de: new Texts("de", "ltr", german),
};

let mirrored: Texts | undefined;

/**
 * The texts for a reader: those that they chose, else the first language of `Accept-Language` that
 * there is, else English.
 */
export function textsFor(chosen: string | undefined, accepted: string | null): Texts {
  if (chosen === PSEUDO) return mirrored ??= new Texts(PSEUDO, "rtl", pseudo(english));
  const wanted = [chosen ?? "", ...preferred(accepted)];
  const found = wanted.map((tag) => tag.toLowerCase().split("-")[0] ?? "")
    .find((language) => Object.hasOwn(ALL, language));
  // as: the line above found it, or it is English.
  return ALL[found ?? "en"] as Texts;
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

/** A catalogue in letters that no language has, so that a text outside of it is seen. */
function pseudo(catalogue: Catalogue): Catalogue {
  return Object.fromEntries(
    Object.entries(catalogue).map(([key, text]) => [key, pseudoText(text)]),
  ) as Record<TextKey, string>; // as: the keys are the same.
}
