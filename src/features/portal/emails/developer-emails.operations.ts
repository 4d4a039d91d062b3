import { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { actingCall, actorOf, type Idempotency, idempotentCall } from "../../../calls/principal.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { exampleIds } from "../../../contract/example-ids.ts";
import { definePublicPage } from "../../../contract/public-page.ts";
import { entityTag, ifMatch } from "../../../contract/v1.ts";
import { text, timestamp } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { ifMatchOf } from "../../../http/routes.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { branding } from "../../branding/branding.contract.ts";
import { publicBrand } from "../../branding/public-brand.ts";
import { getV1, handingOf } from "../../accounts/v1.service.ts";
import { developerDetail, handOverMembers } from "../../accounts/v1.contract.ts";
import { findDeveloperEmail } from "../../developers/developer-email.store.ts";
import { emailState } from "../../developers/developers.contract.ts";
import { findEmailLink } from "../../developers/email-proof.store.ts";
import {
  emailLinkHash,
  isProved,
  maskedEmail,
  newEmailLinks,
} from "../../developers/email-proof.ts";
import { linkHtml } from "../../keys/one-time-links/link-page.ts";
import link from "../../keys/one-time-links/link.browser.js?text" with { type: "text" };
import { pageLanguage } from "../../keys/one-time-links/page-language.ts";
import { languagePage, writtenPage } from "../../keys/one-time-links/written-page.ts";
import { withRevokeLimit } from "../../keys/revoke-limit.service.ts";
import german from "./confirm-texts-de.json" with { type: "json" };
import english from "./confirm-texts-en.json" with { type: "json" };
import script from "./confirm.browser.js?text" with { type: "text" };
import { confirmByLink, confirmByPerson } from "./developer-emails.transactions.ts";

const tag = "Developers";

const confirmEmailInput = z.object({ email: z.string().max(320), ...handOverMembers })
  .meta({ id: "ConfirmEmailInput" });

/** A person says so. */
export const confirmDeveloperEmail = operation({
  id: "confirmDeveloperEmail",
  method: "POST",
  path: "/v1/developers/{id}/email/confirm",
  tag,
  summary: "Confirm a developer's changed e-mail address, in the place of the one before it",
  description:
    "`email` is the address that was looked at: if it is another one now the answer is 412. It is verified once it was also reached by the mailed link; if no such links are mailed, at once. An expired link is mailed anew. A verified address does not change. A developer who was registered under an id with keys has these from then on. `account` has to say whose it is, unless it went to a successor with the change.",
  permission: ["approve"],
  body: confirmEmailInput,
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "precondition_failed", "too_many_revoked"],
  example: { email: exampleIds.email, account: "same_person" },
  async serve(ctx, call) {
    const { params: { id }, body, idempotency } = call;
    await confirmAsPerson(ctx, id, body, { ifMatch: ifMatchOf(call), idempotency });
    return await getV1(ctx, id);
  },
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

const emailConfirmationPreview = z.strictObject({
  ...asked,
  email: text.meta({ description: "The address; the previous one is sent a part of it." }),
  changed_at: timestamp,
  expires_at: timestamp,
}).meta({ id: "EmailConfirmationPreview" });

/** The holder of the token may see the address that it confirms. */
export const previewEmailConfirmation = operation({
  id: "previewEmailConfirmation",
  method: "POST",
  path: "/v1/email-confirmations/preview",
  tag,
  summary: "Read what the link of a mail would confirm, with its token; confirms nothing",
  description:
    "A link that is over is answered like one that never was. Wrong tokens count as those of one-time links do.",
  permission: "public",
  body: tokenBody,
  response: emailConfirmationPreview,
  errors: [...bodyErrors, "confirmation_gone", "too_many_requests"],
  example: { token: exampleEmailToken },
  async serve(ctx, call) {
    const { body: { token } } = call;
    const address = ctx.clientAddresses.of(call);
    const { storage: { reader }, clock } = ctx;
    return await counted(ctx, token, address, async () => {
      const link = await findEmailLink(reader, {
        hash: emailLinkHash(token),
        now: toTimestamp(clock.now()),
      });
      const known = link && await findDeveloperEmail(reader, link.org_id, link.developer_id);
      if (!known || isProved(known.proof)) throw new Failure("confirmation_gone");
      const { name, logo, colour, support } = await publicBrand(reader, link.org_id);
      return {
        side: link.side,
        organisation: { name, logo, colour, support },
        email: link.side === "new" ? known.email : maskedEmail(known.email),
        changed_at: known.proof.changed_at ?? link.expires_at,
        expires_at: link.expires_at,
      };
    });
  },
});

const emailConfirmed = z.strictObject({ side: asked.side, email_state: emailState })
  .meta({ id: "EmailConfirmed" });

/** The holder of the token confirms, once. */
export const confirmEmail = operation({
  id: "confirmEmail",
  method: "POST",
  path: "/v1/email-confirmations",
  tag,
  summary: "Confirm a developer's e-mail address with the token of a mailed link; works once",
  description:
    "The token alone confirms, so no access token is needed. An address is verified once it was reached, and the previous address or a person agreed.",
  permission: "public",
  body: tokenBody,
  response: emailConfirmed,
  errors: [...bodyErrors, "confirmation_gone", "too_many_requests"],
  example: { token: exampleEmailToken },
  async serve(ctx, call) {
    const { body: { token } } = call;
    const address = ctx.clientAddresses.of(call);
    const { storage, clock, principal } = ctx;
    const input = { token, now: clock.now(), call: actingCall(principal) };
    return await counted(ctx, token, address, () => storage.commit(confirmByLink, input));
  },
});

/**
 * The page that a mailed link leads to; reading it confirms nothing, since scanners of mails follow
 * links.
 */
export const confirmPage = operation({
  ...definePublicPage({
    id: "confirmPage",
    path: "/confirm",
    tag,
    type: "text/html",
    summary: "The page of a link that confirms an e-mail address",
    description:
      "For the browser of a person with a mailed link. The token is behind `#`, so that loading the page sends it to no server. In English or German, as the browser accepts.",
    answerHeaders: { vary: "`accept-language`: the page is written in one of its languages." },
  }),
  serve: languagePage(confirmHtml),
});

/** The script of that page. */
export const confirmScript = operation({
  ...definePublicPage({
    id: "confirmScript",
    path: "/confirm.js",
    tag,
    type: "text/javascript",
    summary: "The script of the page that confirms an e-mail address",
    description: "Loaded by the page itself.",
  }),
  serve: writtenPage(link + script, "text/javascript"),
});

/** A text of the page. `{name}` in it represents a value. */
type ConfirmText = keyof typeof english;

/**
 * The page of a link that confirms an address, for anyone who accepts these languages: asks before
 * it confirms, since scanners of mails follow links.
 */
function confirmHtml(acceptLanguage: string | null): string {
  const language = pageLanguage<ConfirmText>({ en: english, de: german }, acceptLanguage);
  return linkHtml(language, {
    src: "confirm.js",
    main: (say) =>
      `<section id="ask" hidden>
<p id="what"></p>
<p>${say("ask")}</p>
<p><button id="confirm" type="button">${say("confirm")}</button></p>
</section>
<section id="finished" hidden>
<h2 id="finished-title" tabindex="-1">${say("finished")}</h2>
<p id="next"></p>
</section>
<section id="gone" hidden>
<h2 id="gone-title" tabindex="-1">${say("gone")}</h2>
<p>${say("gone.note")}</p>
</section>`,
  });
}

/** Confirms a developer's address as a person; see confirmByPerson. */
async function confirmAsPerson(
  ctx: RequestContext,
  id: string,
  { email, account, predecessor_keys: keys }: z.output<
    NonNullable<typeof confirmEmailInput>
  >,
  by: { ifMatch: string[] | null; idempotency: Idempotency },
): Promise<void> {
  const { mail, settings } = ctx;
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const handing = handingOf(ctx, { account, keys }, actor.now);
  const input = {
    actor,
    id,
    email,
    handing,
    ifMatch: by.ifMatch,
    canMail: await mail() !== undefined && settings.publicUrl !== "",
    link: newEmailLinks(actor.now).new,
    idempotency: idempotentCall(ctx.principal, actor.now, by.idempotency),
  };
  const { at_most } = handing.ending;
  await withRevokeLimit(
    ctx.storage,
    { actor, at_most },
    () => ctx.storage.commit(confirmByPerson, input),
  );
}

/**
 * The result of `give` for a token. Failed attempts are counted: tokens of links are guessed at
 * like one-time links'.
 */
async function counted<T>(
  { attempts }: RequestContext,
  token: string,
  address: string | undefined,
  give: () => Promise<T>,
): Promise<T> {
  const credential = emailLinkHash(token);
  const refused = () =>
    attempts.failed("one_time_link", { address, credential }) ?? new Failure("confirmation_gone");
  if (attempts.isWrong("one_time_link", credential)) throw refused();
  try {
    return await give();
  } catch (error) {
    // A store that was away says nothing about the token.
    throw error instanceof Failure && error.code === "confirmation_gone" ? refused() : error;
  }
}
