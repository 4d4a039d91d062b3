import german from "./one-time-link-texts-de.json" with { type: "json" };
import english from "./one-time-link-texts-en.json" with { type: "json" };
import { type PageLanguage, pageLanguage } from "./page-language.ts";

/** The texts of a one-time link's page, in any language. `{name}` is replaced by a value. */
export type OneTimeLinkTexts = Readonly<Record<keyof typeof english, string>>;

/** The texts of a one-time link's page for one reader. */
export type OneTimeLinkLanguage = PageLanguage<keyof OneTimeLinkTexts>;

/**
 * The texts for anyone who accepts these languages; English where there are none in any of them.
 */
export const oneTimeLinkLanguage = (acceptLanguage: string | null): OneTimeLinkLanguage =>
  pageLanguage<keyof OneTimeLinkTexts>({ en: english, de: german }, acceptLanguage);
