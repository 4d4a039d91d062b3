import { IntlMessageFormat } from "intl-messageformat";

/** The values of placeholders. */
type IcuValues = Readonly<Record<string, string | number>>;

const made = new Map<string, IntlMessageFormat>();

/** A text in ICU's message format with its values. Throws where one is missing. */
export function icuText(text: string, locale: string, values: IcuValues = {}): string {
  const key = `${locale}\n${text}`;
  let format = made.get(key);
  if (!format) {
    format = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
    made.set(key, format);
  }
  return String(format.format(values));
}
