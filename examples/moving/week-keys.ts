/** The keys of a week in which both run: of every form, and those that call in it. */
import { createHash } from "node:crypto";
import { filled, ids, ORG } from "./fill.ts";
import { hashOf, legacyKey, organisationIn } from "./keys.ts";
import type { Holder, Original } from "./original.ts";

/** How a key is hashed at the gateway, by what it is called there. */
export type Form = "murmur32" | "murmur64" | "murmur128" | "sha256" | "chosen" | "unhashed";

/** Somebody with a key, and what is known of it. */
export interface Keeper extends Holder {
  form: Form;
  /** Calls once a day or so; else never before the gateway is gone. */
  calls: boolean;
  /** False once it was revoked at either side. */
  opens: boolean;
  /** Whether an import brought it. */
  imported: boolean;
  /** Whether Keydesk alone said of it what is so. */
  home: boolean;
}

/** One in so many ordinary developers does not call in the week. */
const QUIET_EACH = 7;
/** Holders of keys that somebody chose. */
const CHOSEN = 3;

/**
 * An organisation whose gateway hashes by murmur32: beside its usual keys each developer has one of
 * old, and some chose theirs.
 */
export async function filledForWeek(
  developers: number,
): Promise<{ original: Original; keepers: Keeper[] }> {
  const original = await filled(developers, "murmur32");
  const { gateway, holders } = original;
  const [plan, api_id] = [ids.plan(1), "weather"];
  for (let n = 0; n < developers; n++) {
    const [key, developer_id] = [legacyKey(ORG, innerId(`of old ${n}`)), ids.developer(n)];
    await original.issue(key, developer_id, [plan]);
    holders.push({ key, api_id, developer_id });
  }
  for (let n = 0; n < CHOSEN; n++) {
    const [key, developer_id] = [`chosen by hand, number ${n}`, ids.developer(n)];
    const { name } = await gateway.add(key, gateway.newSession(developer_id, [plan]));
    original.name(name, developer_id, [plan]);
    holders.push({ key, api_id, developer_id });
  }
  const keepers: Keeper[] = [];
  for (const [n, holder] of holders.entries()) {
    const form = await formOf(original, holder.key);
    const isQuiet = form === "sha256" && n < developers && n % QUIET_EACH === 1;
    const nothing = { opens: true, imported: false, home: false };
    keepers.push({ ...holder, form, calls: !isQuiet, ...nothing });
  }
  return { original, keepers };
}

/** How many there are of each form, came by an import, and are at home. */
export function formsOf(keepers: readonly Keeper[]): {
  form: Form;
  holders: number;
  imported: number;
  home: number;
}[] {
  return [...Map.groupBy(keepers, ({ form }) => form)].map(([form, those]) => ({
    form,
    holders: those.length,
    imported: those.filter(({ imported }) => imported).length,
    home: those.filter(({ home }) => home).length,
  }));
}

async function formOf({ gateway }: Original, key: string): Promise<Form> {
  if (gateway.session(key)) return "unhashed";
  if (organisationIn(key) === undefined) return "chosen";
  const { length } = await hashOf(key);
  switch (length) {
    case 8:
      return "murmur32";
    case 16:
      return "murmur64";
    case 32:
      return "murmur128";
    default:
      return "sha256";
  }
}

function innerId(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 32);
}
