import german from "./claim-texts-de.json" with { type: "json" };
import english from "./claim-texts-en.json" with { type: "json" };
import { type PageLanguage, pageLanguage } from "./page-language.ts";

/** What the claim page says, in any language. `{name}` stands for a value. */
export type ClaimTexts = Readonly<Record<keyof typeof english, string>>;

/** What the claim page says to one reader. */
export type ClaimLanguage = PageLanguage<keyof ClaimTexts>;

/** The texts for whoever accepts these languages; English where there are none in any of them. */
export const claimLanguage = (acceptLanguage: string | null): ClaimLanguage =>
  pageLanguage<keyof ClaimTexts>({ en: english, de: german }, acceptLanguage);
