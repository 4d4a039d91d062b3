import { Buffer } from "node:buffer";
import { sha256 } from "../../../kernel/sha256.ts";
import { murmur32Of, murmurIdsOf } from "../../keys/murmur.ts";
import { GatewayAway } from "../kind.ts";

/** By how many hexadecimal digits a hash shows which function made it. */
const FUNCTIONS = { 64: "sha256", 32: "murmur128", 16: "murmur64", 8: "murmur32" } as const;

type HashFunction = typeof FUNCTIONS[keyof typeof FUNCTIONS];

/** The function that made a name; undefined: the gateway hashes nothing. */
export function functionOf(name: string): HashFunction | undefined {
  if (!/^[0-9a-f]+$/.test(name)) return undefined;
  // as: any other length has no function.
  return FUNCTIONS[name.length as keyof typeof FUNCTIONS];
}

/** The members of a key that says how it is hashed; undefined: it says nothing. */
export function innerOf(key: string): { org: string; id: string; h: string } | undefined {
  if (!key.startsWith("ey")) return undefined;
  try {
    const { org, id, h } = JSON.parse(atob(key));
    const isWhole = [org, id, h].every((one) => typeof one === "string");
    return isWhole ? { org, id, h } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The name of a key at a gateway whose canary has this name: the hash of the key by the function
 * that the canary's name reveals; any other text is wrapped first, as the gateway does at each
 * call.
 */
async function nameOf(org_id: string, canary: string, key: string): Promise<string> {
  const own = functionOf(canary);
  const inner = innerOf(key);
  if (inner) return await hashed(key, inner.h);
  if (own === undefined) return "";
  return await hashed(btoa(JSON.stringify({ org: org_id, id: key, h: own })), own);
}

/**
 * Each name that a gateway with this canary may give a key that it makes of this text: without a
 * configured hash function it wraps keys in another way than with murmur32. None: it can't be
 * known.
 */
export async function namesMade(org_id: string, canary: string, key: string): Promise<string[]> {
  const names = [await nameOf(org_id, canary, key)];
  if (functionOf(canary) === "murmur32" && !innerOf(key)) {
    names.push(await hashed(org_id + key, "murmur32"));
  }
  return names.filter((name) => name !== "");
}

/**
 * Every name that a text may have at a gateway of this canary, in the order in which the gateway
 * looks: of a key that says how it is hashed its hash; of one that begins with the organisation its
 * murmur32; else of what the text is wrapped to, in each way that there is, and of the text itself.
 * Throws GatewayAway where the gateway hashes nothing.
 */
export async function namesOf(org_id: string, canary: string, text: string): Promise<string[]> {
  const own = functionOf(canary);
  if (own === undefined) throw new GatewayAway("the gateway does not hash its keys");
  const inner = innerOf(text);
  if (inner) return [await hashed(text, inner.h)];
  const raw = await hashed(text, "murmur32");
  if (text.startsWith(org_id) && text.length > org_id.length) return [raw];
  const wrapped = await hashed(btoaUtf8(`{"org":"${org_id}","id":"${text}","h":"${own}"}`), own);
  // A gateway with that function may have it configured or by default, which wraps in another way.
  const plain = own === "murmur32" ? [await hashed(org_id + text, "murmur32")] : [];
  return [...new Set([wrapped, ...plain, raw])];
}

function btoaUtf8(text: string): string {
  return Buffer.from(text).toString("base64");
}

async function hashed(key: string, by: string): Promise<string> {
  if (by === "sha256") return sha256(key);
  if (by === "murmur128") return (await murmurIdsOf(key))[0];
  if (by === "murmur64") return (await murmurIdsOf(key))[1];
  return murmur32Of(key);
}
