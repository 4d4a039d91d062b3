import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { findConfiguration } from "../catalogue/catalogue.store.ts";
import { emailSideOf } from "../developers/email-proof.ts";
import { composeMail, NoMail } from "./compose-mail.ts";
import { emailCopyIn } from "./email-copy.ts";
import { exampleFacts } from "./example-facts.ts";
import { brandOf, OFFERED } from "./mail-facts.ts";
import { type MailConfig, mailConfigOf } from "./mail-config.ts";
import { mailKind } from "../../contract/mail-kinds.ts";
import { placeholdersOf } from "../../contract/mail-placeholders.ts";
import type { previewMail } from "./mail.contract.ts";
import { findTarget } from "./targets.store.ts";

type Preview = z.output<typeof previewMail.response>;

/**
 * A mail with made-up values, as it would be sent. Throws `not_found`, and `invalid_input` for a
 * webhook.
 */
export async function preview(
  ctx: RequestContext,
  id: string,
  { mail, draft }: z.output<typeof previewMail.body & z.ZodType>,
): Promise<Preview> {
  const { storage: { reader }, principal: { org_id }, settings } = ctx;
  const target = await findTarget(reader, { org_id, id });
  if (!target) throw new Failure("not_found");
  if (target.kind !== "mail") {
    throw new Failure("invalid_input", { message: "This target sends no mails." });
  }
  const config: MailConfig = draft ?? mailConfigOf(target);
  const configuration = await findConfiguration(reader, { org_id });
  const brand = await brandOf(reader, org_id);
  const { copy } = mailKind(mail);
  const { subject, text } = config.mails[mail] ?? {};
  // A preview is of use before the server is set up.
  const publicUrl = settings.publicUrl || "https://keys.example.org";
  const page = mail === "key_request.approved"
    ? "claim"
    : mail === OFFERED
    ? "offer"
    : emailSideOf(mail) && "confirm";
  const link = page && { url: `${publicUrl}/${page}#…`, expires_at: "2027-01-31T09:00:00Z" };
  const defaultFrom = settings.mailFrom || "keys@example.org";
  try {
    const facts = exampleFacts(mail, { ...brand, configuration });
    const composed = composeMail({ facts, config, publicUrl, defaultFrom, link, missing: 0 });
    const { from, unknown } = composed;
    return {
      from: from.name === "" ? from.address : `${from.name} <${from.address}>`,
      subject: composed.subject,
      text: composed.text,
      html: composed.html,
      placeholders: placeholdersOf(mail).map((one) => `{{${one}}}`),
      unknown_placeholders: unknown,
      worded_by: copy && emailCopyIn(configuration, copy)
        ? "configuration"
        : subject || text
        ? "target"
        : "keydesk",
    };
  } catch (error) {
    if (!(error instanceof NoMail)) throw error;
    throw new Failure("invalid_input", { message: error.message });
  }
}
