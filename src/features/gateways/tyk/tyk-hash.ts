import type { KeyFormat } from "../../../calls/context.ts";
import { shortened } from "../../keys/key-form.ts";
import { isImported } from "../../hygiene/unused/elsewhere.ts";

/** What of a key tells what a gateway calls it. */
interface Origin {
  readonly key_id: string;
  readonly kind: "token" | "basic" | "oauth";
  readonly attempt_id: string;
  readonly imported_as: string | null;
  readonly wrapped_by: string | null;
  /** What lists show of it. */
  readonly mask: string;
}

/** The mask of a key that says how it is hashed: the ends of its inner id. */
const INNER = /^[0-9a-f]{4}…[0-9a-f]{4}$/;

/**
 * What a gateway that hashes by SHA-256 calls a token, told without its text; "": nobody can tell.
 * A key of the original's form that was issued here is hashed whole, by what `format` says of all
 * of them; a key that came by its hash is called that. Any other text is wrapped there before it is
 * hashed.
 */
export function hashThere(key: Origin, format: KeyFormat): string {
  const name = key.imported_as ?? key.key_id;
  if (key.kind !== "token" || !/^[0-9a-f]{64}$/.test(name)) return "";
  if (!isImported(key)) {
    const isSha256 = format.name !== "legacy" || (format.hash ?? "sha256") === "sha256";
    return isSha256 && INNER.test(key.mask) ? name : "";
  }
  const wasHash = key.imported_as !== null || key.wrapped_by === "sha256";
  return wasHash && key.mask === shortened(name) ? name : "";
}
