import { COSIGNATURE, textOfKey } from "../../kernel/checkpoint.ts";
import type { SealedKey } from "../trail/trail-key.ts";

/** The organisation in whose place keys are sealed by which the desk signs as a witness. */
export const WITNESS = "witness";

/** What the desk calls itself where it signs as a witness by this key. */
export function witnessName({ id }: Pick<SealedKey, "id">): string {
  return `keydesk-witness/${id}`;
}

/** The key as C2SP's tools take it. */
export function witnessKeyText(key: Pick<SealedKey, "id" | "public_key">): string {
  return textOfKey({ name: witnessName(key), public_key: key.public_key }, COSIGNATURE);
}
