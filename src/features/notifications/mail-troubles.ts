import type { Troubles } from "../../kernel/problems.ts";
import type { Sent } from "./sender.ts";

/**
 * Notes what the mail server lacks, and that it does no more: the log and the list of troubles tell
 * of it.
 */
export function noteMailServer(
  troubles: Troubles,
  { ok, mailLack, neededUtf8 }: Pick<Sent, "ok" | "mailLack" | "neededUtf8">,
): void {
  if (mailLack) troubles.begin(mailLack.name, { reason: mailLack.reason, stops: "nothing" });
  if (!ok || neededUtf8 === undefined) return;
  troubles.end("mail_sign_in_refused");
  // A mail that does not need it proves nothing.
  if (neededUtf8) troubles.end("mail_smtputf8_missing");
}
