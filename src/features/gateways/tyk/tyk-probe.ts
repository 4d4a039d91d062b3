import { randomBytes, toHex } from "../../../kernel/ids.ts";
import type { Finding } from "../gateway.ts";
import { GatewayAway, Undone } from "../kind.ts";
import { PROBED } from "../pace.ts";
import { byName, LIST, membersOf, type TykCalls } from "./tyk-calls.ts";
import type { Policy } from "./tyk-policies.ts";

/** What a gateway is probed by. */
export interface Probe {
  readonly calls: Pick<TykCalls, "open" | "send">;
  readonly org_id: string;
  /** The API that is called. */
  readonly url: string;
}

/** One try proves nothing: a call must be in flight at the moment of the deletion. */
const TRIES = 10;
/** Calls that go on at the same time, and for how long before a deletion and behind it. */
const CALLERS = 4;
const CALLS_MS = 200;

/**
 * Makes ten keys, ends each while it is used, and looks whether calls go on opening. A key that
 * came back is ended again until it stays so. However long the gateway takes, its API is called no
 * more often than a run may.
 */
export async function probeRevocations(
  probe: Probe,
  policies: readonly Policy[],
  remove: (name: string) => Promise<void>,
): Promise<Finding[]> {
  const policy = policies.find(({ quota }) => quota > 0) ?? policies[0];
  if (!policy) return [{ code: "not_checked", detail: "" }];
  let [opened, wentOn] = [0, 0];
  // Each try ends with one call.
  const left = { calls: PROBED.inRun - TRIES };
  for (let n = 0; n < TRIES && left.calls > 0; n++) {
    const tried = await tryOnce(probe, policy.id, left);
    if (tried.opened) opened++;
    if (tried.wentOn) wentOn++;
    await remove(tried.name).catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  }
  if (opened === 0) return [{ code: "not_checked", detail: policy.id }];
  return wentOn === 0 ? [] : [{ code: "cache_on", detail: `${wentOn}/${opened}` }];
}

async function tryOnce(
  { calls, org_id, url }: Probe,
  policy: string,
  left: { calls: number },
): Promise<{ name: string; opened: boolean; wentOn: boolean }> {
  const inner = toHex(randomBytes(16));
  const path = `${LIST}/${inner}?suppress_reset=1`;
  const body = { org_id, apply_policies: [policy], alias: "keydesk-probe" };
  const made = membersOf((await calls.send("POST", path, body)).json);
  const { key, key_hash: name } = made;
  if (typeof key !== "string" || typeof name !== "string") {
    throw new GatewayAway("the gateway makes no key to probe it by");
  }
  let opened = false;
  let goesOn = true;
  const call = async () => {
    while (goesOn && left.calls-- > 0) {
      if (await calls.open(url, key) === 200) opened = true;
      else await pause(CALLS_MS / 10);
    }
  };
  const callers = Array.from({ length: CALLERS }, call);
  await pause(CALLS_MS);
  await calls.send("DELETE", byName(name));
  await pause(CALLS_MS);
  goesOn = false;
  await Promise.all(callers);
  // By now no call is in flight that began before the deletion.
  const wentOn = opened && await calls.open(url, key) === 200;
  return { name, opened, wentOn };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
