/**
 * The links that ask for the confirmation of addresses, out of the store: answers never hold them.
 */
import { emailLinkPlace, emailLinkUrl } from "../../src/features/developers/email-proof.ts";
import { findEmailLinkOf } from "../../src/features/developers/email-proof.store.ts";
import type { TestDesk } from "./desk.ts";
import type { Arrived } from "./mail-server.ts";

/** The token of a developer's open link, while it was not mailed. */
export async function emailTokenOf(
  desk: TestDesk,
  developer_id: string,
  side: "new" | "old",
  org_id = desk.org_id,
): Promise<string> {
  const { storage: { reader }, sealer, clock } = desk.app.ctx;
  const now = new Date(clock.now()).toISOString();
  const found = await findEmailLinkOf(reader, { org_id, developer_id, side, now });
  if (!found?.link) throw new Error("no such link waits to be mailed");
  return sealer.open(emailLinkPlace(org_id, found.id), found.link);
}

/** The token of the confirmation's link in a mail; "": there is none. */
export function confirmationIn({ parsed }: Arrived, publicUrl: string): string {
  const [before] = emailLinkUrl(publicUrl, "|").split("|");
  const text = parsed.text ?? "";
  const at = text.indexOf(before ?? "");
  return at < 0 ? "" : /^[\w-]{43}/.exec(text.slice(at + (before ?? "").length))?.[0] ?? "";
}
