import { mailKind } from "../../contract/mail-kinds.ts";
import type { MailName } from "../../contract/mail-names.ts";
import { isOfOne } from "../../contract/mail-placeholders.ts";
import type { MailFacts } from "./mail-facts.ts";

/** The content of an example mail, for a preview of its texts. */
export function exampleFacts(
  name: MailName,
  of: Pick<MailFacts, "organisation" | "colour" | "support" | "configuration">,
): MailFacts {
  const { to } = mailKind(name);
  const isOfTeam = ["approvers", "assignee", "mentioned"].includes(to);
  const waiting = [
    { id: "65b0c1d2e3f4a5b6c7d8e9f0", text: "Keira Walsh: Departures, professional" },
    { id: "65b0c1d2e3f4a5b6c7d8e9f1", text: "Elif Yıldız: Arrivals, free" },
  ];
  return {
    ...of,
    name,
    recipientName: isOfTeam || ["person", "alarmed", "administrators"].includes(to)
      ? "Tomas Vrba"
      : to === "owner" || to === "code" || to === "invited"
      ? ""
      : "Elif Yıldız",
    developer: isOfTeam ? "Keira Walsh" : "Elif Yıldız",
    plans: [{
      name: "Departures, professional",
      apis: ["Departures"],
      rate: 100,
      per: 60,
      quota_max: 1_000_000,
      quota_renewal_rate: 30 * 86_400,
      key_expires_in: 365 * 86_400,
    }],
    reason: "The plan is for public transport companies alone.",
    approver: "Tomas Vrba",
    person: "Keira Walsh",
    rule: "Incidents",
    deeds: 12,
    ends: "2027-12-31T23:59:00Z",
    days: 30,
    beginsAnew: "2027-01-01T00:00:00Z",
    mask: "…k9Qw",
    certificate: "api.example.org",
    gateway: "edge-1",
    minutes: 60,
    host: "gateway.example.org",
    address: "e…@example.net",
    code: to === "code" ? "493027" : "",
    browser: "Firefox on Linux",
    from: "203.0.113.7",
    changed: "2026-11-20T12:35:00Z",
    changedBy: "The portal",
    asked: "2026-11-20T12:35:00Z",
    waiting: name === "key_request.waiting_several"
      ? waiting
      : isOfOne(name)
      ? waiting.slice(0, 1)
      : [],
    reads: "",
    page: to === "invited" ? "https://developers.example.org/portal/sign-up" : "",
  };
}
