import type { z } from "zod";
import type { myKeyDetail } from "../my/keys.contract.ts";
import { time } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { Texts } from "./texts.ts";
import { useChart } from "./use-chart.ts";

type Detail = z.output<typeof myKeyDetail>;
type Quota = NonNullable<Detail["quota"]>;

/** From what share on a quota is nearly spent. */
const NEARLY = 0.9;

/** The remaining quota of a key, and whether that is enough. */
export function quotaCard(t: Texts, quota: Quota, { days }: Detail["use"]): Html {
  const { limit, left, used, renews_at, is_enough, per_day, used_up_at } = quota;
  // The last call that passed used it up, if no one noted when that was.
  const lastDay = days.findLast(({ passed }) => passed > 0)?.day;
  const share = limit <= 0 ? 1 : Math.min(1, used / limit);
  return html`
    <section class="card">
      <h2>${t.say("key.quota")}</h2>
      <p><strong>${t.say("key.left", { left: t.number(left), limit: t.number(limit) })}</strong></p>
      <svg class="bar${share >= NEARLY && " full"}" aria-hidden="true">
        <rect width="${Math.round(share * 100)}%" height="100%" />
      </svg>
      <p class="note">${left <= 0 && html`
        ${t.say("key.quota.spent")}${used_up_at !== null
          ? html`
            ${t.say("key.since")} ${time(t, used_up_at)}.
          `
          : lastDay !== undefined && html`
            ${t.say("key.since")} ${t.day(lastDay)}.
          `} <a href="/portal">${t.say("key.quota.more")}</a>
      `}${left > 0 && is_enough !== null &&
        html`
          ${t.say(is_enough ? "key.quota.enough" : "key.quota.short", {
            n: t.number(Math.round(per_day)),
          })}
        `}${renews_at !== null && html`${t.say("key.quota.renews")} ${time(t, renews_at)}`}</p>
    </section>
  `;
}

/** A key's calls of the last days. */
export function useCard(t: Texts, use: Detail["use"]): Html {
  const { days, total } = use;
  const refused = total.refused_401 + total.refused_403 + total.refused_429;
  return html`<section class="card"><h2>${t.say("key.use")}</h2>
${
    total.calls === 0 ? html`<p>${t.say("key.use.none")}</p>` : html`
      <p>${t.say("key.use.sum", { passed: t.number(total.passed), refused: t.number(refused) })}</p>
      ${useChart(t, use)}
      <details>
        <summary>${t.say("key.use.table")}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">${t.say("key.use.day")}</th>
              <th scope="col">${t.say("key.use.passed")}</th>
              <th scope="col">${t.say("key.use.401")}</th>
              <th scope="col">${t.say("key.use.403")}</th>
              <th scope="col">${t.say("key.use.429")}</th>
            </tr>
          </thead>
          <tbody>${days.map((one) =>
            html`
              <tr>
                <th scope="row">${t.day(one.day)}</th>
                <td>${t.number(one.passed)}</td>
                <td>${t.number(one.refused_401)}</td>
                <td>${t.number(one.refused_403)}</td>
                <td>${t.number(one.refused_429)}</td>
              </tr>
            `
          )}</tbody>
        </table>
      </details>
    `
  }</section>`;
}
