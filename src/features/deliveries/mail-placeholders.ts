import { mailKinds, placeholdersOf } from "../../contract/mail-kinds.ts";
import type { MailName } from "../../contract/mail-names.ts";
import type { MailConfig } from "./mail-config.ts";
import { filled, type MailValues, type UnknownPlaceholders } from "./mail-words.ts";

/** The placeholders of a target's own words that will stand in its mails as they were written. */
export function unknownIn(
  { mails }: MailConfig,
): { mail: MailName; placeholders: string[] }[] {
  return mailKinds.flatMap(({ name }) => {
    const { subject = "", text = "" } = mails[name] ?? {};
    const values: MailValues = Object.fromEntries(placeholdersOf(name).map((one) => [one, ""]));
    const unknown: UnknownPlaceholders = new Set();
    filled(`${subject}\n${text}`, values, unknown);
    return unknown.size === 0 ? [] : [{ mail: name, placeholders: [...unknown] }];
  });
}
