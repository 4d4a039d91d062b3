import { randomBytes, toHex } from "../../../kernel/ids.ts";
import type { Closing } from "../closing.ts";
import type { Finding } from "../gateway.ts";
import { type Checked, GatewayAway, Undone } from "../kind.ts";
import { PROBED } from "../pace.ts";
import { byName, LIST, membersOf, type TykCalls } from "./tyk-calls.ts";
import type { Policy } from "./tyk-policies.ts";
import { LIFE_SECONDS } from "./tyk-trial.ts";

/** The means of a probe. */
interface Probe {
  readonly calls: Pick<TykCalls, "open" | "send">;
  readonly org_id: string;
  /** The API that is called; "": there is none. */
  readonly url: string;
  /** The version that the gateway reports; "": none. */
  readonly version: string;
  /** For so long a key is called behind its end at the most. */
  readonly watchedMs?: number;
  /** Calls follow each other this soon, and later on less often. */
  readonly restMs?: number;
}

const WATCHED_MS = 30_000;
/** A key that was just made opens within so many calls, or something else is wrong. */
const OPENING = 10;
const REST_MS = 100;

/** How long a key went on opening behind its end. */
interface Watched {
  /** Null: for longer than it was watched, or it was brought back. */
  readonly seconds: number | null;
  /** A call was let in although the key was read as gone. */
  readonly isCached: boolean;
}

/**
 * Makes a key of a policy without a quota and one of a policy with one, ends each once it has
 * opened, and calls with it until it opens no more. One call goes out at a time, so none is in
 * flight as the key is deleted: what opens behind that comes out of the gateway's memory.
 */
export async function probeRevocations(
  probe: Probe,
  policies: readonly Policy[],
  remove: (name: string) => Promise<unknown>,
): Promise<Required<Checked>> {
  const { version, url } = probe;
  const untried: Closing = { version, cache: "not_tried" };
  const not = (detail: string): Required<Checked> => ({
    findings: [{ code: "not_checked", detail }],
    closing: untried,
  });
  if (url === "") return not("");
  const active = policies.filter((one) => one.active !== false);
  const kinds = [
    active.find(({ quota }) => quota <= 0),
    active.find(({ quota }) => quota > 0),
  ];
  const watched: (Watched | undefined)[] = [];
  for (const policy of kinds) {
    const left = { calls: PROBED.inRun / kinds.length };
    watched.push(policy && await watch(probe, policy.id, left, remove));
  }
  const [free, quota] = watched;
  if (!free && !quota) return not((kinds[0] ?? kinds[1])?.id ?? "");
  const isCached = watched.some((one) => one?.isCached);
  const closing: Closing = {
    version,
    cache: isCached ? "on" : "not_seen",
    ...free ? { free: free.seconds } : {},
    ...quota ? { quota: quota.seconds } : {},
  };
  return { findings: isCached ? [cacheOn(watched)] : [], closing };
}

/** `undone`: a key goes on as long as calls do; else how many seconds late it shuts. */
function cacheOn(watched: readonly (Watched | undefined)[]): Finding {
  const seconds = watched.flatMap((one) => one ? [one.seconds] : []);
  const isUndone = seconds.includes(null);
  const detail = isUndone ? "undone" : String(Math.max(...seconds.map(Number)));
  return { code: "cache_on", detail };
}

/** Undefined: the key never opened. */
async function watch(
  { calls, org_id, url, watchedMs = WATCHED_MS, restMs = REST_MS }: Probe,
  policy: string,
  left: { calls: number },
  remove: (name: string) => Promise<unknown>,
): Promise<Watched | undefined> {
  const path = `${LIST}/${toHex(randomBytes(16))}?suppress_reset=1`;
  const expires = Math.floor(Date.now() / 1000) + LIFE_SECONDS;
  const body = { org_id, apply_policies: [policy], expires, alias: "keydesk-probe" };
  const { key, key_hash: name } = membersOf((await calls.send("POST", path, body)).json);
  if (typeof key !== "string" || typeof name !== "string") {
    throw new GatewayAway("the gateway makes no key to probe it by");
  }
  const opens = async () => {
    left.calls--;
    const status = await calls.open(url, key);
    if (status >= 500) throw new GatewayAway(`the API that it is probed by answers ${status}`);
    return status < 300 || status === 429;
  };
  const isOpening = async () => {
    for (let n = 0; n < OPENING && left.calls > 0; n++) {
      if (await opens()) return true;
      await pause(restMs);
    }
    return false;
  };
  try {
    if (!await isOpening()) return undefined;
    // It is read as gone behind this, while the gateway can be believed.
    await remove(name);
    const ended = performance.now();
    for (let isCached = false;; isCached = true) {
      if (left.calls <= 0) return { seconds: null, isCached };
      if (!await opens()) {
        const spent = Math.ceil((performance.now() - ended) / 1000);
        // Another key may have been remembered a moment later than this one.
        return { seconds: isCached ? spent + 1 : 0, isCached };
      }
      const isBack = (await calls.send("GET", byName(name))).status === 200;
      const spentMs = performance.now() - ended;
      if (isBack || spentMs > watchedMs) return { seconds: null, isCached: true };
      await pause(restMs * Math.max(1, spentMs / 2000));
    }
  } finally {
    // The last removal includes a record that calls brought back; it expires anyway.
    await remove(name).catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
