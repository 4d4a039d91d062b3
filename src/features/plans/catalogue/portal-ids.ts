import { sha256 } from "../../../kernel/sha256.ts";

/**
 * The id of the one catalogue or configuration of an organisation, the same before it is first
 * written and after, whichever of several writers comes first.
 */
export function portalId(org_id: string, of: "catalogue" | "configuration"): string {
  return sha256(`${of} ${org_id}`).slice(0, 24);
}
