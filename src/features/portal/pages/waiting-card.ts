import type { z } from "zod";
import { MOST_WORDS } from "../../key-requests/added-words.ts";
import type { myRequest } from "../my/requests.contract.ts";
import { hiddenFields, time } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { PageCall } from "./page.ts";
import { usually } from "./plan-words.ts";

type Request = z.output<typeof myRequest>;

/** The state of a waiting request, and the developer's actions meanwhile. */
export function waitingCard(call: PageCall, request: Request): Html {
  const { t, site: { organisation: { name: organisation } } } = call;
  const isOffered = request.offer?.state === "waiting";
  const at = `/portal/requests/${encodeURIComponent(request.id)}`;
  return html`
    ${!isOffered && html`
      <p>${t.say("request.pending.text", { organisation })}</p>
      ${expected(call, request)}
      ${request.expires_at !== null && html`
        <p>${t.say("request.ends")} ${time(t, request.expires_at)}.</p>
      `}
      ${reminder(call, request, at)}
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

/** How long it usually takes, and when that will be; or since when it takes longer. */
function expected({ ctx, t }: PageCall, { date_created, late_from }: Request): Html | false {
  if (late_from === null) return false;
  const usual = (Date.parse(late_from) - Date.parse(date_created)) / 1000;
  const isLate = Date.parse(late_from) < ctx.clock.now();
  return html`
    <p>${t.say("request.usual")} ${usually(t, usual)}; ${t.say(
      isLate ? "remind.since" : "request.about",
    )} ${time(t, late_from)}.</p>
  `;
}

const DAY_MS = 86_400_000;

/** A button that reminds those who decide, where it is late, and when they were reminded. */
function reminder(call: PageCall, { late_from, reminded_at }: Request, at: string): Html | false {
  const { t, ctx } = call;
  const now = ctx.clock.now();
  const mayRemind = late_from !== null && Date.parse(late_from) < now &&
    (reminded_at === null || Date.parse(reminded_at) <= now - DAY_MS);
  return html`
    ${reminded_at !== null && html`<p>${t.say("remind.said")} ${time(t, reminded_at)}.</p>`}
    ${mayRemind && html`
      <form method="post" action="${at}/remind">${hiddenFields(call)}
        <button>${t.say("remind.do")}</button> <span class="note">${t.say("remind.note")}</span>
      </form>
    `}
  `;
}
