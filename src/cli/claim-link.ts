import type { ClaimLink } from "../client/operations.ts";

/**
 * A claim as it is handed on: a desk that does not know its address gives a link that begins with
 * `/`.
 */
export function wholeLink(claim: ClaimLink, address: string): ClaimLink {
  return claim.link.startsWith("/") ? { ...claim, link: address + claim.link } : claim;
}
