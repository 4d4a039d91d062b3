/**
 * The language of a mail. A developer is written to in their own, by our words; a mail that the
 * organisation words itself stays in its words and its language.
 */
import type { MailKind } from "../../contract/mail-kind.ts";
import { placeholdersOf } from "../../contract/mail-placeholders.ts";
import { type MailWord, mailWords } from "../../contract/mail-names.ts";
import { icuText } from "../../kernel/icu-text.ts";
import { languageOf } from "../../kernel/languages.ts";
import type { MailConfig } from "./mail-config.ts";
import { germanMails, germanWords } from "./mail-texts-de.ts";
import { filled, type MailValues, type UnknownPlaceholders } from "./mail-words.ts";

/** A mail's words, and by whose rules its times are written. */
interface MailLanguage {
  readonly config: MailConfig;
  readonly why: string;
  readonly button: string | undefined;
  /** The subject and the text where the organisation has no words for them. */
  subject(values: MailValues, unknown: UnknownPlaceholders): string;
  text(values: MailValues, unknown: UnknownPlaceholders): string;
}

/**
 * In what a mail of this kind is written. `reads`: what its reader chose; "": nothing.
 * `isWorded`: the organisation has words of its own for it.
 */
export function mailLanguage(
  kind: MailKind,
  config: MailConfig,
  { reads, isWorded }: { reads: string; isWorded: boolean },
): MailLanguage {
  const own = languageOf(config.language);
  const language = isWorded || reads === "" ? own : languageOf(reads) ?? own;
  const german = language === "de" ? germanMails[kind.name] : undefined;
  if (german) {
    return {
      config: {
        ...config,
        language: tagOf("de", config),
        words: wordsOf(germanWords, "de", config),
      },
      why: german.why,
      button: german.button,
      subject: (values) => icuText(german.subject, "de", { ...noValues(kind), ...values }),
      text: (values) => icuText(german.text, "de", { ...noValues(kind), ...values }),
    };
  }
  const isOurs = language === "en" && own !== "en" && !isWorded && reads !== "";
  return {
    config: isOurs ? { ...config, language: "en", words: {} } : config,
    why: kind.why,
    button: kind.button,
    subject: (values, unknown) => filled(kind.subject, values, unknown),
    text: (values, unknown) => filled(kind.text, values, unknown),
  };
}

/** Nothing for each placeholder: a mail may have no value for one. */
function noValues({ name }: MailKind): MailValues {
  return Object.fromEntries(placeholdersOf(name).map((placeholder) => [placeholder, ""]));
}

/** The organisation's tag of a language, such as `de-AT`, where it is that language. */
function tagOf(language: string, config: MailConfig): string {
  return languageOf(config.language) === language ? config.language : language;
}

/** The fixed words of a language; the organisation's own where it writes in that language. */
function wordsOf(
  ours: Readonly<Record<MailWord, string>>,
  language: string,
  { language: own, words }: MailConfig,
): MailConfig["words"] {
  const theirs = languageOf(own) === language ? words : {};
  const given = Object.entries(theirs).filter(([, word]) => word !== "");
  return { ...ours, ...Object.fromEntries(given) };
}

/** A fixed word. */
export function word({ words }: MailConfig, name: MailWord): string {
  return words[name] || mailWords[name];
}
