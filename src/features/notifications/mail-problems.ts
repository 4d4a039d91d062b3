import type { Problems } from "../../kernel/problems.ts";
import type { Sent } from "./sender.ts";

/**
 * Notes what the mail server lacks, and that it does no more: the log and the list of problems tell
 * of it.
 */
export function noteMailServer(
  problems: Problems,
  { ok, mailLack, neededUtf8 }: Pick<Sent, "ok" | "mailLack" | "neededUtf8">,
): void {
  if (mailLack) problems.begin(mailLack.name, { reason: mailLack.reason, stops: "nothing" });
  if (!ok || neededUtf8 === undefined) return;
  problems.end("mail_sign_in_refused");
  // A mail that does not need it proves nothing.
  if (neededUtf8) problems.end("mail_smtputf8_missing");
}
