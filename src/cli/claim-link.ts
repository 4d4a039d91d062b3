import type { IssuedOneTimeLink } from "../client/operations.ts";

/** A claim as it is handed on: without a public address the desk's link begins with `/`. */
export function wholeLink(claim: IssuedOneTimeLink, address: string): IssuedOneTimeLink {
  return claim.link.startsWith("/") ? { ...claim, link: address + claim.link } : claim;
}
