import { shortened } from "../../features/keys/key-form.ts";
import type { ArchiveRow } from "../archive/archive-tables.ts";

/** How a gateway hashes its keys. */
export const targetHashes = ["sha256", "murmur128", "murmur64", "murmur32", "none"] as const;

/** One of them. */
export type TargetHash = typeof targetHashes[number];

/** The mask of a key that says how it is hashed: the ends of its inner id. */
const INNER = /^[0-9a-f]{4}…[0-9a-f]{4}$/;

/**
 * Whether a gateway finds a key by the name of its record, as far as that can be known without the
 * key. A gateway that hashes nothing looks for the key itself, which is not stored here. One that
 * hashes finds its own keys by that name, and names that state how they are hashed. A text that a
 * person chose at a gateway that hashes nothing has another name everywhere else.
 */
export function isFoundAt(
  { key_id, imported_as, wrapped_by, mask }: ArchiveRow,
  target: TargetHash | undefined,
): boolean {
  if (target === "none") return false;
  const by = typeof wrapped_by === "string" ? wrapped_by : "";
  if (by === "none" || by.startsWith("unhashed-")) return false;
  const name = String(imported_as ?? key_id);
  const cameByName = imported_as !== null || mask === shortened(name);
  const length = target === undefined ? name.length : LENGTHS[target];
  // Of another function than the one that it came by: only what says so by itself is found.
  if (cameByName) return name.length === length || name.length === LENGTHS.sha256;
  return INNER.test(String(mask)) || (by === "sha256" && length === LENGTHS.sha256);
}

const LENGTHS = { sha256: 64, murmur128: 32, murmur64: 16, murmur32: 8, none: 0 } as const;
