import { type Language, languageOf } from "../../kernel/languages.ts";
import type { Connection } from "../../storage/storage.ts";
import { findChoices } from "./developer-choices.store.ts";

/** A developer's mails, and their form. */
interface DeveloperChoices {
  /** "": as the mail channel says. */
  language: Language | "";
  /** When a quota is nearly used, and when it is used up. */
  quota: boolean;
  /** Before a key ends, and when it has. */
  ends: boolean;
}

/** A developer's choice; without one they get all mails. */
export async function choicesOf(
  db: Connection,
  org_id: string,
  id: string,
): Promise<DeveloperChoices> {
  const row = await findChoices(db, { org_id, id });
  if (!row) return { language: "", quota: true, ends: true };
  return {
    language: languageOf(row.language) ?? "",
    quota: Number(row.quota_mails) === 1,
    ends: Number(row.end_mails) === 1,
  };
}
