import { randomBytes, toHex } from "../../../kernel/ids.ts";
import { GatewayAway, Stuck, type Trial } from "../kind.ts";
import { PROBED } from "../pace.ts";
import { byName, LIST, membersOf, type TykCalls } from "./tyk-calls.ts";
import { functionOf, namesMade } from "./tyk-names.ts";
import type { Policy } from "./tyk-policies.ts";

/** It expires after this many seconds, even if Keydesk does not run any more. */
export const LIFE_SECONDS = 600;

/** The means of a trial. */
interface Tried {
  readonly calls: TykCalls;
  readonly org_id: string;
  /** Its canary's name, which says how it hashes. */
  readonly canary: string;
  readonly probe_url: string;
  readonly policies: readonly Policy[];
  /** Takes a key away and reads that back. */
  readonly remove: (name: string) => Promise<unknown>;
}

/** A key to try a gateway by; see Kind.trial. Throws Stuck where it has no policy for one. */
export async function trialOf(tried: Tried): Promise<Trial> {
  const { calls, org_id, canary, probe_url, policies, remove } = tried;
  // A quota would count its calls, and those in flight undo its end.
  const policy = policies.find(({ quota }) => quota <= 0) ?? policies[0];
  if (!policy) throw new Stuck("the gateway has no policy to make a key by");
  const id = toHex(randomBytes(16));
  const made = { key: "", name: "" };
  // The gateway's own name of the id: it may have another hash function since its canary.
  const names = await namesMade(org_id, canary, id);
  const end = async () => {
    for (const one of new Set([made.name, ...names])) if (one !== "") await remove(one);
  };
  const make = async () => {
    const { status, json } = await calls.send("POST", `${LIST}/${id}?suppress_reset=1`, {
      org_id,
      apply_policies: [policy.id],
      expires: Math.floor(Date.now() / 1000) + LIFE_SECONDS,
      alias: "keydesk-canary",
    });
    const { key, key_hash } = membersOf(json);
    if (status !== 200) throw new GatewayAway(`the gateway answers ${status}`);
    if (typeof key !== "string" || typeof key_hash !== "string" || !functionOf(key_hash)) {
      throw new Stuck(UNHASHED);
    }
    Object.assign(made, { key, name: key_hash });
  };
  let called = 0;
  const opens = async () => {
    if (made.name === "") return false;
    if (++called > PROBED.inRun) throw new GatewayAway("it was called as often as a run may");
    if (probe_url === "") return (await calls.send("GET", byName(made.name))).status === 200;
    const status = await calls.open(probe_url, made.key);
    if (status >= 500) throw new GatewayAway(`the API that it is tried by answers ${status}`);
    // A rate limit proves that the key is known.
    return status < 300 || status === 429;
  };
  const how = probe_url === "" ? "read" : "called";
  return { name: names.join(" "), how, hasQuota: policy.quota > 0, make, opens, end };
}

/** The problem of a gateway that keeps keys as they are, and the setting that fixes it. */
export const UNHASHED = "the gateway does not hash its keys: turn hash_keys on";

/** One that is there already, to be ended. */
export function leftTrial(name: string, remove: (name: string) => Promise<unknown>): Trial {
  return {
    name,
    how: "read",
    hasQuota: false,
    make: () => Promise.resolve(),
    opens: () => Promise.resolve(false),
    end: async () => {
      for (const one of name.split(" ")) await remove(one);
    },
  };
}
