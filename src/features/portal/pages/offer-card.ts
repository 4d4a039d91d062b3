import type { z } from "zod";
import type { OfferedPlan } from "../my/offer.ts";
import type { myRequest } from "../my/requests.contract.ts";
import { hiddenFields, time } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { PageCall } from "./page.ts";
import { lifeOf, namesOf, quotaOf, rateOf } from "./plan-words.ts";
import type { Texts } from "./texts.ts";

type Request = z.output<typeof myRequest>;
type Offer = NonNullable<Request["offer"]>;

/** The offer, with buttons to accept and to decline it; or the answer to it. */
export function offerCard(
  call: PageCall,
  { id, offer }: Request,
  offered: readonly OfferedPlan[],
): Html | false {
  const { t } = call;
  if (offer === null) return false;
  if (offer.state !== "waiting") {
    const words = offer.words && html`<blockquote>${offer.words}</blockquote>`;
    return html`<p>${t.say(`offer.${offer.state}`)}</p>${words}`;
  }
  const fields = hiddenFields(call, { offer: offer.id });
  const at = `/portal/requests/${encodeURIComponent(id)}`;
  return html`
    <p>${t.say("offer.text")} ${time(t, offer.expires_at)}.</p>
    ${offer.message && html`<blockquote>${offer.message}</blockquote>`}
    ${termsOf(t, offer.terms, offer.plans, offered)}
    <form method="post"
      action="${at}/accept">${fields}<button class="main">${t.say("offer.accept")}</button></form>
    <details>
      <summary>${t.say("offer.else")}</summary>
      <form method="post" action="${at}/answer">${fields}
        <label for="w-${offer.id}">${t.say("offer.words")}</label>
        <textarea id="w-${offer.id}" name="words" rows="2" maxlength="2000"></textarea>
        <button>${t.say("offer.answer")}</button>
        <button name="turn_down" value="1">${t.say("offer.turn_down")}</button>
      </form>
    </details>
  `;
}

/**
 * The offered terms instead of the requested ones, a line each; of plans that are `offered` to all,
 * with their limits.
 */
export function termsOf(
  t: Texts,
  terms: Offer["terms"],
  plans: Offer["plans"],
  offered: readonly OfferedPlan[] = [],
): Html {
  const { rate, quota, addresses, expires_at, review_at } = terms;
  const grantOf = (id: string) => {
    const plan = offered.find(({ ids }) => ids.includes(id));
    return plan ? ` (${[rateOf(t, plan), quotaOf(t, plan), lifeOf(t, plan)].join(", ")})` : "";
  };
  const limits = {
    rate: rate?.calls ?? 0,
    per: rate?.seconds ?? 0,
    quota_max: quota?.calls ?? 0,
    quota_renewal_rate: quota?.seconds ?? 0,
    key_expires_in: 0,
    expiry_applies_to: "key" as const,
  };
  return html`
    <ul>
      ${plans?.map((plan) =>
        html`
          <li>${namesOf(t, [plan])}${grantOf(plan.id)}</li>
        `
      ) ?? false}
      ${rate && html`<li>${rateOf(t, limits)}</li>`}
      ${quota && html`<li>${quotaOf(t, limits)}</li>`}
      ${addresses && html`<li>${t.say("offer.addresses")} ${addresses.join(", ")}</li>`}
      ${expires_at && html`<li>${t.say("offer.ends")} ${time(t, expires_at)}</li>`}
      ${review_at && html`<li>${t.say("offer.review")} ${time(t, review_at)}</li>`}
    </ul>
  `;
}
