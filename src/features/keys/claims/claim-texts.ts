import { acceptedLanguage } from "../../../kernel/languages.ts";
import { PSEUDO, pseudoText } from "../../../kernel/pseudo-text.ts";
import { german } from "./claim-texts-de.ts";
import { type ClaimTexts, english } from "./claim-texts-en.ts";

/** What the claim page says to one reader. */
export interface ClaimLanguage {
  readonly tag: string;
  readonly direction: "ltr" | "rtl";
  readonly texts: ClaimTexts;
}

const ALL = {
  en: { tag: "en", direction: "ltr", texts: english },
  de: { tag: "de", direction: "ltr", texts: german },
} as const satisfies Readonly<Record<string, ClaimLanguage>>;

/** The texts for whoever accepts these languages; English where there are none in any of them. */
export function claimLanguage(acceptLanguage: string | null): ClaimLanguage {
  if (acceptLanguage === PSEUDO) {
    // as: the keys are the same.
    const texts = Object.fromEntries(
      Object.entries(english).map(([key, text]) => [key, pseudoText(text)]),
    ) as Record<keyof ClaimTexts, string>;
    return { tag: PSEUDO, direction: "rtl", texts };
  }
  return ALL[acceptedLanguage(acceptLanguage) ?? "en"];
}
