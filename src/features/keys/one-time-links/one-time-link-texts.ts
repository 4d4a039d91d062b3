import german from "./one-time-link-texts-de.json" with { type: "json" };
import english from "./one-time-link-texts-en.json" with { type: "json" };
import { type PageLanguage, pageLanguage } from "./page-language.ts";

/** What the page of a one-time link says, in any language. `{name}` stands for a value. */
export type OneTimeLinkTexts = Readonly<Record<keyof typeof english, string>>;

/** What the page of a one-time link says to one reader. */
export type OneTimeLinkLanguage = PageLanguage<keyof OneTimeLinkTexts>;

/** The texts for whoever accepts these languages; English where there are none in any of them. */
export const oneTimeLinkLanguage = (acceptLanguage: string | null): OneTimeLinkLanguage =>
  pageLanguage<keyof OneTimeLinkTexts>({ en: english, de: german }, acceptLanguage);
