import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { findPerson } from "../access/people.store.ts";
import { emailKey } from "../developers/developer.ts";
import { findDeveloperEmail } from "../developers/developer-email.store.ts";
import { isProved } from "../developers/email-proof.ts";
import { findV1Of } from "../key-requests/v1.store.ts";
import type { listMailedLinks } from "./mailed-links.contract.ts";
import { missingForMail } from "./missing-for-mail.ts";
import { areLinksMailed } from "./recipients.transactions.ts";

type MailedLinks = z.output<typeof listMailedLinks.response>;

/**
 * Who would be mailed the link if the caller approved these key requests now, in the order of the
 * ids.
 */
export async function mailedLinks(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<MailedLinks> {
  const { storage: { reader }, principal: { org_id, user_id } } = ctx;
  const rows = new Map((await findV1Of(reader, org_id, ids)).map((row) => [row.id, row]));
  const isOn = missingForMail(ctx).length === 0 && await areLinksMailed(reader, org_id);
  const caller = isOn ? (await findPerson(reader, { org_id, id: user_id }))?.email : undefined;
  const data: MailedLinks["data"] = [];
  for (const id of ids) {
    const row = rows.get(id);
    if (!row) continue;
    const known = isOn ? await findDeveloperEmail(reader, org_id, row.by_user) : undefined;
    // Nobody is mailed about their own deed, and no link goes where nobody confirmed the address.
    const isOwn = !!known && !!caller && emailKey(known.email) === emailKey(caller);
    const mailed_to = known && isProved(known.proof) && !isOwn ? known.email || null : null;
    data.push({ id, mailed_to });
  }
  return { data };
}
