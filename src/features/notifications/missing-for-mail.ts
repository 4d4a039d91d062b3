import type { RequestContext } from "../../calls/context.ts";

/** The settings that this server lacks to send mails with links in them. */
export async function missingForMail(
  { mail, settings: { publicUrl } }: RequestContext,
): Promise<string[]> {
  return [
    ...await mail() ? [] : ["KEYDESK_SMTP_URL"],
    ...publicUrl === "" ? ["KEYDESK_PUBLIC_URL"] : [],
  ];
}
