import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { findConfiguration } from "../plans/catalogue/catalogue.store.ts";
import { emailSideOf, isProved } from "../developers/email-proof.ts";
import { composeMail, NoMail } from "./compose-mail.ts";
import { emailCopyIn } from "./email-copy.ts";
import { exampleFacts } from "./example-facts.ts";
import { brandOf, OFFERED } from "./mail-facts.ts";
import { type MailConfig, mailConfigOf } from "./mail-config.ts";
import { mailKind } from "../../contract/mail-kinds.ts";
import { placeholdersOf } from "../../contract/mail-placeholders.ts";
import type { mailPreview, mailPreviewInput } from "./mail.contract.ts";
import { findChannel } from "./channels.store.ts";
import { findPerson } from "../people/people.store.ts";
import { emailKey } from "../developers/developer.ts";
import { findDeveloperEmail } from "../developers/developer-email.store.ts";
import { findV1Of } from "../key-requests/v1.store.ts";
import type { listMailedLinksResponse } from "./mailed-links.contract.ts";
import { missingForMail } from "./missing-for-mail.ts";
import { areLinksMailed } from "./recipients.transactions.ts";

type Preview = z.output<typeof mailPreview>;

/**
 * A mail with made-up values, as it would be sent. Throws `not_found`, and `invalid_input` for a
 * webhook.
 */
export async function preview(
  ctx: RequestContext,
  id: string,
  { mail, draft }: z.output<typeof mailPreviewInput>,
): Promise<Preview> {
  const { storage: { reader }, principal: { org_id }, settings } = ctx;
  const channel = await findChannel(reader, { org_id, id });
  if (!channel) throw new Failure("not_found");
  if (channel.kind !== "mail") {
    throw new Failure("invalid_input", { message: "This channel sends no mails." });
  }
  const config: MailConfig = draft ?? mailConfigOf(channel);
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
  const defaultFrom = (await ctx.mail())?.from || settings.mailFrom || "keys@example.org";
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
        ? "channel"
        : "keydesk",
    };
  } catch (error) {
    if (!(error instanceof NoMail)) throw error;
    throw new Failure("invalid_input", { message: error.message });
  }
}

type MailedLinks = z.output<typeof listMailedLinksResponse>;

/**
 * The recipients of the links if the caller approved these key requests now, in the order of the
 * ids.
 */
export async function mailedLinks(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<MailedLinks> {
  const { storage: { reader }, principal: { org_id, user_id } } = ctx;
  const rows = new Map((await findV1Of(reader, org_id, ids)).map((row) => [row.id, row]));
  const isOn = (await missingForMail(ctx)).length === 0 && await areLinksMailed(reader, org_id);
  const caller = isOn ? (await findPerson(reader, { org_id, id: user_id }))?.email : undefined;
  const data: MailedLinks["data"] = [];
  for (const id of ids) {
    const row = rows.get(id);
    if (!row) continue;
    const known = isOn ? await findDeveloperEmail(reader, org_id, row.by_user) : undefined;
    // No one is mailed about their own deed, and no link goes where no one confirmed the address.
    const isOwn = !!known && !!caller && emailKey(known.email) === emailKey(caller);
    const mailed_to = known && isProved(known.proof) && !isOwn ? known.email || null : null;
    data.push({ id, mailed_to });
  }
  return { data };
}
