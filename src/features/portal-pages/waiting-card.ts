import type { z } from "zod";
import { MOST_WORDS } from "../key-requests/added-words.ts";
import type { myRequest } from "../my/requests.contract.ts";
import type { usualTimes } from "../my/usual-time.ts";
import { hiddenFields, time } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { PageCall } from "./page.ts";
import { usually } from "./plan-words.ts";

type Request = z.output<typeof myRequest>;

/** How long requests for plans usually wait. */
export type Usual = Awaited<ReturnType<typeof usualTimes>>;

/** What is said of a request that waits, and what whoever asked can do meanwhile. */
export function waitingCard(call: PageCall, request: Request, usual: Usual): Html {
  const { t, site: { organisation: { name: organisation } } } = call;
  const isOffered = request.offer?.state === "waiting";
  const at = `/portal/requests/${encodeURIComponent(request.id)}`;
  return html`
    ${!isOffered && html`
      <p>${t.say("request.pending.text", { organisation })}</p>
      ${expected(call, request, usual)}
    `}
    ${request.added_words.length > 0 && html`
      <p class="quiet">${t.say("words.said")}</p>
    `}
    ${request.added_words.map((one) =>
      html`
        <blockquote>${one.words} <small>${time(t, one.at)}</small></blockquote>
      `
    )}
    ${!isOffered && request.added_words.length < MOST_WORDS && html`
      <details>
        <summary>${t.say("words.add")}</summary>
        <form method="post" action="${at}/words"
          data-draft="${draftOf(request.id)}">${hiddenFields(call)}
          <label for="a-${request.id}">${t.say("words.label")}</label>
          <textarea id="a-${request.id}" name="words" rows="2" maxlength="2000" required></textarea>
          <p class="quiet">${t.say("words.note")}</p>
          <button>${t.say("words.send")}</button>
        </form>
      </details>
    `}
    <details>
      <summary>${t.say("request.withdraw")}</summary>
      <form method="post" action="${at}/withdraw">${hiddenFields(call)}
        <p>${t.say("request.withdraw.sure")}</p>
        <button>${t.say("request.withdraw.do")}</button>
      </form>
    </details>
  `;
}

/** By which the browser keeps words until they are sent. */
export function draftOf(id: string): string {
  return `words-${id}`;
}

/** How long it usually takes, and when that will be; or that it takes longer. */
function expected({ ctx, t }: PageCall, { plans, date_created }: Request, usual: Usual) {
  const seconds = usual(plans.map(({ id }) => id));
  if (seconds === null) return false;
  const about = Date.parse(date_created) + seconds * 1000;
  return html`
    <p>${t.say("request.usual")} ${usually(t, seconds)}; ${about > ctx.clock.now()
      ? html`${t.say("request.about")} ${time(t, new Date(about).toISOString())}`
      : t.say("request.longer")}.</p>
  `;
}
