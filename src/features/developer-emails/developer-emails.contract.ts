import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { exampleIds } from "../../contract/example-ids.ts";
import { definePublicPage } from "../../contract/public-page.ts";
import { entityTag, ifMatch } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { branding } from "../branding/branding.contract.ts";
import { developerDetail, handOverMembers } from "../developer-accounts/v1.contract.ts";
import { emailState } from "../developers/developers.contract.ts";

const tag = "Developers (native)";

/** A person says so. */
export const confirmDeveloperEmail = defineEndpoint({
  id: "confirmDeveloperEmail",
  method: "POST",
  path: "/v1/developers/{id}/email/confirm",
  tag,
  summary: "Confirm a developer's changed e-mail address, in the place of the one before it",
  description:
    "`email` is the address that was looked at: another one by now is 412. It is proved once it was also reached by the link that it was mailed; where no such links are mailed, at once. A link that is over is mailed anew. Of an address that is proved nothing changes. A developer who was registered under an id with keys has these from then on. Whose the account is has to be said, but where it went to a successor with the change.",
  permission: ["approve"],
  body: z.object({ email: z.string().max(320), ...handOverMembers })
    .meta({ id: "ConfirmEmailInput" }),
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "precondition_failed", "too_many_revoked"],
  example: { email: exampleIds.email, account: "same_person" },
});

/** The token of the reference's example. */
export const exampleEmailToken = "1".repeat(43);

const tokenBody = z.object({ token: z.string().min(1).max(200) })
  .meta({ id: "EmailConfirmationInput" });

const asked = {
  side: z.enum(["new", "old"]).meta({
    description: "`new`: the address itself is asked; `old`: the one before it is.",
  }),
  organisation: branding.pick({ name: true, logo: true, colour: true, support: true }),
};

/** Whoever holds the token may know what it confirms. */
export const previewEmailConfirmation = defineEndpoint({
  id: "previewEmailConfirmation",
  method: "POST",
  path: "/v1/email-confirmations/preview",
  tag,
  summary: "Read what the link of a mail would confirm, with its token; confirms nothing",
  description:
    "A link that is over is answered like one that never was. Wrong tokens count as those of claims do.",
  permission: "public",
  body: tokenBody,
  response: z.strictObject({
    ...asked,
    email: text.meta({ description: "The address; the one before it is told a part of it." }),
    changed_at: timestamp,
    expires_at: timestamp,
  }).meta({ id: "EmailConfirmationPreview" }),
  errors: [...bodyErrors, "confirmation_gone", "too_many_requests"],
  example: { token: exampleEmailToken },
});

/** Whoever holds the token confirms, once. */
export const confirmEmail = defineEndpoint({
  id: "confirmEmail",
  method: "POST",
  path: "/v1/email-confirmations",
  tag,
  summary: "Confirm a developer's e-mail address with the token of a mailed link; works once",
  description:
    "What confirms is the token alone, so no access token is needed. An address is proved once it was reached, and the one before it or a person agreed.",
  permission: "public",
  body: tokenBody,
  response: z.strictObject({ side: asked.side, email_state: emailState })
    .meta({ id: "EmailConfirmed" }),
  errors: [...bodyErrors, "confirmation_gone", "too_many_requests"],
  example: { token: exampleEmailToken },
});

/**
 * The page that a mailed link leads to; reading it confirms nothing, since scanners of mails follow
 * links.
 */
export const confirmPage = definePublicPage({
  id: "confirmPage",
  path: "/confirm",
  tag,
  type: "text/html",
  summary: "The page of a link that confirms an e-mail address",
  description:
    "For the browser of whoever was mailed a link. The token stands behind `#`, so that reading the page tells no server. In English or German, as the browser accepts.",
  answerHeaders: { vary: "`accept-language`: the page is written in one of its languages." },
});

/** What that page runs. */
export const confirmScript = definePublicPage({
  id: "confirmScript",
  path: "/confirm.js",
  tag,
  type: "text/javascript",
  summary: "The script of the page that confirms an e-mail address",
  description: "Loaded by the page itself.",
});
