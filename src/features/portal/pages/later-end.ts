import type { z } from "zod";
import { Failure } from "../../../kernel/failure.ts";
import type { myKeyDetail } from "../my/keys.contract.ts";
import { words } from "../my/requests.contract.ts";
import * as service from "../my/requests.service.ts";
import { hiddenFields, time } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { PageCall } from "./page.ts";

type Detail = z.output<typeof myKeyDetail>;

/** Of a key that ends: the later end that was asked for, or a form that asks for one. */
export function laterEnd(call: PageCall, key: Detail): Html | false {
  const { t, form, site: { organisation: { name: organisation } } } = call;
  const { id, state, expires_at, later_end, replaced_by, waits_until } = key;
  if (later_end) {
    return html`
      <p class="said wait">${t.say("later.waits", { organisation })} ${time(t, later_end.until)}. <a
          href="/portal/requests">${t.say("requests")}</a></p>
    `;
  }
  const isOpen = state === "active" && replaced_by === null && waits_until === null;
  if (expires_at === null || !isOpen) return false;
  const { until = "", why = "" } = form;
  return html`
    <details class="card" data-key="l" ${until !== "" && html`
      open
    `}>
      <summary>${t.say("later")}</summary>
      <form method="post" action="/portal/keys/${id}/later-end">${hiddenFields(call)}
      <p>${t.say("later.text", { organisation })} ${time(t, expires_at)}.</p>
      <label for="f-until">${t.say("later.until")} (<span data-zone>UTC</span>)</label>
      <input type="hidden" name="ends" data-end-of="f-until">
      <input id="f-until" type="date" name="until" value="${until}" min="${expires_at.slice(0, 10)}"
        required>
      <label for="f-why">${t.say("later.why")}</label>
      <textarea id="f-why" name="why" rows="2" maxlength="2000">${why}</textarea>
      <button>${t.say("later")}</button></form>
    </details>
  `;
}

/** Sends what the form asks for; gives what is wrong with it, if anything is. */
export async function askForLaterEnd(call: PageCall): Promise<string | undefined> {
  const { ctx, t, params, form } = call;
  const { until = "", ends = "", why = "" } = form;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(until) && !Number.isNaN(Date.parse(until));
  if (!isDay || !words.safeParse(why).success) return t.say("later.wrong");
  try {
    const sent = { until: endOf(until, ends), words: why.trim() };
    await service.askForLaterEnd(ctx, params.id ?? "", sent, null);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "invalid_input") throw error;
    return t.say("later.wrong");
  }
}

/** Zones are up to so many hours from UTC. */
const FARTHEST_MS = 14 * 3_600_000;

/** The last second of a day: in the reader's zone as the script says, else in UTC. */
function endOf(day: string, said: string): string {
  const end = `${day}T23:59:59Z`;
  const distance = Math.abs(Date.parse(said) - Date.parse(end));
  return distance <= FARTHEST_MS ? new Date(said).toISOString() : end;
}
