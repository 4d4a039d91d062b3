import type { KeyFormat } from "../../../calls/context.ts";
import { shortened } from "../../keys/key-form.ts";
import { isImported } from "../../hygiene/unused/elsewhere.ts";

/** The data of a key that determine the gateway's name of it. */
interface Origin {
  readonly key_id: string;
  readonly kind: "token" | "basic" | "oauth";
  readonly attempt_id: string;
  readonly imported_as: string | null;
  readonly wrapped_by: string | null;
  /** Its mask in lists. */
  readonly mask: string;
}

/** The mask of a key that says how it is hashed: the ends of its inner id. */
const INNER = /^[0-9a-f]{4}…[0-9a-f]{4}$/;

/**
 * The name of a token at a gateway that hashes by SHA-256, without its text; "": unknown. A key of
 * the original's form that was issued in Keydesk is hashed whole, by the common `format`; a key
 * that was imported by its hash has that name. Any other text is wrapped there before it is hashed.
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
