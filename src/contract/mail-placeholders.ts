import type { MailName } from "./mail-names.ts";

const REQUEST = ["developer", "plan", "api", "access", "key"];
const EXPIRY = ["expires", "days"];

/** Whether a mail tells people of one request. */
export function isOfOne(name: string): boolean {
  return name === "key_request.waiting" || name === "key_request.reminded" ||
    name === "key_request.approval_restarted" ||
    name === "key_request.assigned" || name === "key_request.mentioned" ||
    name === "key_request.next_step" || name === "key_request.expires_soon";
}

/** The placeholders that a kind of mail can have a value for. */
export function placeholdersOf(name: MailName): string[] {
  const both = ["name", "organisation"];
  if (name === "developer.email_changed" || name === "developer.handed_over") {
    return [...both, "address"];
  }
  if (name === "developer.code_asked") return [...both, "code"];
  if (name === "developer.invited") return [...both, "expires"];
  if (name === "temporary_access.asked" || name === "temporary_access.started") {
    return [...both, "person", "rule", "reason", ...EXPIRY];
  }
  if (name === "temporary_access.ended") return [...both, "person", "rule", "actions"];
  if (name.startsWith("temporary_access_rule.")) return [...both, "person", "rule"];
  if (name === "gateway.silent") return [...both, "gateway", "minutes"];
  if (name.startsWith("gateway.")) return [...both, "person", "gateway", "host"];
  if (/^(developer|access_token|person)\./.test(name)) return both;
  if (name.startsWith("certificate.")) return [...both, "certificate", ...EXPIRY];
  if (name === "key_request.waiting_several") return [...both, ...REQUEST, "count"];
  if (isOfOne(name)) {
    return [...both, ...REQUEST, "count", ...name === "key_request.expires_soon" ? EXPIRY : []];
  }
  if (name.startsWith("key.quota_")) return [...both, ...REQUEST, "resets"];
  const decided = name === "key_request.approved" || name === "key_request.declined";
  return [
    ...both,
    ...REQUEST,
    ...EXPIRY,
    ...decided ? ["approver", "reason"] : [],
    ...name === "key.suspended" ? ["reason"] : [],
  ];
}
