import type { z } from "zod";
import type { myKeyDetail } from "../my/keys.contract.ts";
import { hiddenFields, time } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { PageCall } from "./page.ts";

/** That nobody uses a key, and a button that says that it is needed; nothing without a warning. */
export function unusedCard(call: PageCall, key: z.output<typeof myKeyDetail>): Html | false {
  const { t } = call;
  const { id, state, unused_warning: warning } = key;
  if (warning === null || state !== "active") return false;
  const { unused_since, suspended_from } = warning;
  return html`
    <form class="card" method="post"
      action="/portal/keys/${id}/keep">${hiddenFields(call)}<h2>${t.say("unused")}</h2>
    <p>${t.say("unused.since")} ${time(t, unused_since)}. ${suspended_from !== null &&
      html`
        ${t.say("unused.from")} ${time(t, suspended_from)}.
      `}</p>
    <p>${t.say("unused.text")}</p>
    <button class="main">${t.say("unused.do")}</button></form>
  `;
}
