import type { MailName } from "../../contract/mail-names.ts";
import { type MailConfig, mailKinds } from "./mail-kinds.ts";
import { filled, type MailValues, type UnknownPlaceholders } from "./mail-words.ts";

const REQUEST = ["developer", "plan", "key"];
const ENDS = ["ends", "days"];

/** The placeholders that a kind of mail can have a value for. */
export function placeholdersOf(name: MailName): string[] {
  const both = ["name", "organisation"];
  if (name.startsWith("developer.")) return both;
  if (name.startsWith("certificate.")) return [...both, "certificate", ...ENDS];
  if (name === "key_request.waiting_several") return [...both, ...REQUEST, "count"];
  if (name === "key_request.waiting") return [...both, ...REQUEST, "count"];
  const decided = name === "key_request.approved" || name === "key_request.declined";
  return [...both, ...REQUEST, ...ENDS, ...decided ? ["approver", "reason"] : []];
}

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
