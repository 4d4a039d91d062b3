import { acceptedLanguage } from "../../../kernel/languages.ts";
import { PSEUDO, pseudoText } from "../../../kernel/pseudo-text.ts";

/** The texts of a page in every language, by the same keys. `{name}` in them represents a value. */
interface PageCatalogues<Key extends string> {
  readonly en: Readonly<Record<Key, string>>;
  readonly de: Readonly<Record<Key, string>>;
}

/** The texts of a mailed link's page for one reader. */
export interface PageLanguage<Key extends string> {
  readonly tag: string;
  readonly direction: "ltr" | "rtl";
  readonly texts: Readonly<Record<Key, string>>;
}

/**
 * The texts for anyone who accepts these languages; English where there are none in any of them.
 */
export function pageLanguage<Key extends string>(
  catalogues: PageCatalogues<Key>,
  acceptLanguage: string | null,
): PageLanguage<Key> {
  if (acceptLanguage === PSEUDO) {
    const texts = Object.fromEntries(
      Object.entries<string>(catalogues.en).map(([key, text]) => [key, pseudoText(text)]),
    ) as Record<Key, string>; // as: the keys are the same.
    return { tag: PSEUDO, direction: "rtl", texts };
  }
  const tag = acceptedLanguage(acceptLanguage) ?? "en";
  return { tag, direction: "ltr", texts: catalogues[tag] };
}
