import type { z } from "zod";
import type { myKey } from "../my/keys.contract.ts";
import { type Html, html } from "./html.ts";
import type { PageCall } from "./page.ts";

/** That a key does not open at every gateway yet, and that nothing is to be done; else nothing. */
export function onItsWay(
  t: PageCall["t"],
  { on_its_way: way }: Pick<z.output<typeof myKey>, "on_its_way">,
): Html | false {
  if (way === null) return false;
  const { valid_at: there, of, late } = way;
  return html`
    <p class="said wait">${t.say(there === 0 ? "way.none" : "way.some", { there, of })} ${t.say(
      late ? "way.late" : "way.soon",
    )}</p>
  `;
}
