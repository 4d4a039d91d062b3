import { useEffect } from "preact/hooks";
import type { PagedList } from "../../api/paged-list.ts";
import { listed, say } from "../../said.ts";
import type { Key } from "../keys/key.ts";

/** So soon a list shows that a key arrived at its gateways; the other is of what waits for long. */
const [SOON_MS, SELDOM_MS] = [3000, 30_000];

/**
 * Says of a key in a list that it is not as it should be at a gateway, by its worst state. While it
 * does, what is seen of the list is read again: where every key is there nothing is.
 */
export default function GatewayMark({ of: { state, at_gateways }, list }: {
  of: Key;
  list: PagedList<Key>;
}) {
  const everyMs = at_gateways.some(({ state }) => state === "waiting") ? SOON_MS : SELDOM_MS;
  useEffect(() => watch(list, everyMs), [list, everyMs]);
  const named = (those: Key["at_gateways"]) => listed(those.map(({ gateway }) => gateway));
  const ended = state === "active" ? [] : at_gateways.filter(({ valid: opens }) => opens);
  const left = ended.filter(({ state }) => state !== "closing");
  if (left.length > 0) {
    return <span class="line-2 gateway-mark is-bad">{say`Still valid at ${named(left)}`}</span>;
  }
  if (ended.length > 0) {
    return <span class="line-2 gateway-mark">{say`May still be valid at ${named(ended)}`}</span>;
  }
  const worst = words.find((one) => at_gateways.some(({ state }) => one.state === state));
  if (!worst) return null;
  const where = named(at_gateways.filter(({ state }) => state === worst.state));
  return <span class={`line-2 gateway-mark ${worst.class}`}>{say`${worst.text} ${where}`}</span>;
}

/** The worst state first. */
const words = [
  { state: "stuck", text: "Stuck at", class: "is-bad" },
  { state: "diverged", text: "Differs at", class: "" },
  { state: "late", text: "Late at", class: "" },
  { state: "waiting", text: "Waits at", class: "" },
  { state: "closing", text: "Closing at", class: "" },
] as const;

/** When a list was read again last, whoever of its rows asked for it. */
const readAt = new WeakMap<object, number>();

/** Reads what is seen of a list again, as often as the most impatient of its rows wants; stops. */
function watch(list: PagedList<Key>, everyMs: number): () => void {
  const timer = setInterval(() => {
    if (document.hidden || Date.now() - (readAt.get(list) ?? 0) < everyMs / 2) return;
    readAt.set(list, Date.now());
    // A failed reading is repeated at the next turn.
    list.freshen().catch(() => {});
  }, everyMs);
  return () => clearInterval(timer);
}
