import { READ_LATE } from "../../../contract/gateway-states.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { GatewayRow } from "../gateway.ts";
import { FETCHED, type MapSettings } from "./map-settings.ts";
import { readersOf } from "./readers-of.service.ts";

/** So soon it is looked again whether proxies have a map, and so late at the most. */
const [SOON_MS, SELDOM_MS] = [2000, 5 * 60_000];

/** The proxies that may still accept a key that is not in a map any more. */
interface ReadLate {
  readonly reason: typeof READ_LATE[number];
  /** For so many seconds at the most; null: no one can tell. */
  readonly seconds: number | null;
  /** When to look again; null: nothing there ever tells. */
  readonly againMs: number | null;
}

/**
 * Whether a proxy may have an earlier map of a gateway than `edition`, from which on a key is not
 * in it; undefined: none may. `stood`: the key was in the file; `endedMs`: so long ago.
 */
export async function readLate(
  ctx: Pick<GatewayContext, "storage" | "clock">,
  gateway: GatewayRow,
  { socket, reload_seconds: reload = null }: MapSettings,
  { edition, stood, endedMs }: { edition: number; stood: boolean; endedMs: number },
): Promise<ReadLate | undefined> {
  const readers = await readersOf(ctx, gateway);
  const isBehind = readers.some((one) => Number(one.edition) < edition) ||
    socket === FETCHED && readers.length === 0;
  // HAProxy's memory was read there.
  const isFileAlone = socket === "" && stood;
  const fileMs = isFileAlone ? (reload ?? Infinity) * 1000 - endedMs : 0;
  if (!isBehind && fileMs <= 0) return undefined;
  const [notRead, notFetched] = READ_LATE;
  const reason = fileMs > 0 ? notRead : notFetched;
  if (isBehind) {
    return { reason, seconds: null, againMs: Math.min(Math.max(endedMs, SOON_MS), SELDOM_MS) };
  }
  return { reason, seconds: reload, againMs: Number.isFinite(fileMs) ? fileMs : null };
}
