import type { z } from "zod";
import type { myKeyDetail } from "../my/keys.contract.ts";
import { time } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { Texts } from "./texts.ts";

type DeniedCall = z.output<typeof myKeyDetail>["denied_calls"][number];

/** Why a key's newest calls were denied, and the one thing to do; nothing where none was. */
export function deniedCallsCard(t: Texts, calls: readonly DeniedCall[]): Html | false {
  if (calls.length === 0) return false;
  // The newest of each is first.
  const alike = Map.groupBy(calls, ({ reason, api_id }) => JSON.stringify([reason, api_id]));
  return html`
    <section class="card">
      <h2>${t.say("denied_calls")}</h2>
      <ul class="list">${[...alike.values()].map((some) => denied(t, some))}</ul>
      <p class="note">${t.say("denied_calls.note")}</p>
    </section>
  `;
}

function denied(t: Texts, some: readonly DeniedCall[]): Html | false {
  const [newest] = some;
  if (!newest) return false;
  return html`
    <li><strong>${sentenceOf(t, newest)}</strong> ${t.say(
      `denied_calls.${newest.reason}.do`,
    )}<br><span class="note">${t.say("denied_calls.times", { n: some.length })} ${time(
      t,
      newest.at,
    )}</span></li>
  `;
}

function sentenceOf(t: Texts, { reason, api_id, limit, per_seconds }: DeniedCall): string {
  if (reason === "wrong_api") return t.say("denied_calls.wrong_api", { api: api_id ?? "?" });
  if (limit === null || per_seconds === null) return t.say(`denied_calls.${reason}`);
  const values = { limit: t.number(limit), seconds: t.number(per_seconds) };
  return reason === "over_rate" || reason === "over_quota"
    ? t.say(`denied_calls.${reason}.limit`, values)
    : t.say(`denied_calls.${reason}`);
}
