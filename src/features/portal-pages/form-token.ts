import { Buffer } from "node:buffer";
import type { Principal } from "../../calls/principal.ts";
import { randomBytes, toHex } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";

/**
 * A session's token as a form carries it: another text each time, so that the length of a
 * compressed page tells nothing of it (BREACH).
 */
export function maskedToken(token: string): string {
  const bytes = Buffer.from(token);
  const pad = randomBytes(bytes.length);
  return toHex(pad) + toHex(bytes.map((byte, at) => byte ^ (pad[at] ?? 0)));
}

/** The token within; what is none gives something that is no token. */
export function unmaskedToken(masked: string): string {
  if (!/^([0-9a-f]{4}){1,256}$/.test(masked)) return "";
  const bytes = Buffer.from(masked, "hex");
  const half = bytes.length / 2;
  const token = bytes.subarray(half).map((byte, at) => byte ^ (bytes[at] ?? 0));
  const text = Buffer.from(token).toString("latin1");
  return /^[\x20-\x7e]*$/.test(text) ? text : "";
}

/** By what a browser tells one developer's drafts from another's; it says nothing of either. */
export function draftsOf({ org_id, developer }: Principal): string {
  return sha256(`drafts\0${org_id}\0${developer?.id ?? ""}`).slice(0, 16);
}
