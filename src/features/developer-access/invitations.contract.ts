import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { text, timestamp } from "../../contract/values.ts";

const tag = "Developer's pages";

/** An address that may sign up. */
export const developerInvitation = z.strictObject({
  id: text,
  email: text,
  state: z.enum(["open", "used", "withdrawn", "expired"]).meta({
    description:
      "`open`: whoever has the address may sign up by it. `used`: they did. `withdrawn`, `expired`: nobody does.",
  }),
  invited_by: text.meta({ description: "The person's id." }),
  date_created: timestamp,
  expires_at: timestamp,
}).meta({ id: "DeveloperInvitation" });

/** Who may sign up. */
export const listDeveloperInvitations = defineEndpoint({
  id: "listDeveloperInvitations",
  method: "GET",
  path: "/v1/developer-invitations",
  tag,
  summary: "List the addresses that are invited to sign up, newest first; at most 1,000",
  description: "Each with what became of it, for 30 days.",
  permission: ["admin:read"],
  response: z.strictObject({ data: z.array(developerInvitation) })
    .meta({ id: "DeveloperInvitationList" }),
  errors: [],
});

/** One more. */
export const inviteDeveloper = defineEndpoint({
  id: "inviteDeveloper",
  method: "POST",
  path: "/v1/developer-invitations",
  tag,
  summary: "Invite an address to sign up at the developer's pages, for 14 days",
  description:
    "Counts where `sign_up` is `invitation` or `domains`. Where the organisation has a target of mails, the address is told where the pages are; there they have a code mailed to this very address. Invited again, the days begin anew.",
  permission: ["admin"],
  body: z.object({ email: z.string().trim().min(1).max(320) })
    .meta({ id: "DeveloperInvitationInput" }),
  response: developerInvitation,
  errors: [...bodyErrors, "email_taken", "too_many_invitations"],
  example: { email: "invited@example.org" },
});

/** One less. */
export const withdrawDeveloperInvitation = defineEndpoint({
  id: "withdrawDeveloperInvitation",
  method: "DELETE",
  path: "/v1/developer-invitations/{id}",
  tag,
  summary: "Withdraw an invitation",
  description: "Whoever has signed up by it already stays.",
  permission: ["admin"],
  response: z.strictObject({ withdrawn: z.literal(true) })
    .meta({ id: "DeveloperInvitationWithdrawn" }),
  errors: ["not_found"],
});
