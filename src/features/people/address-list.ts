import { Networks, networkText } from "../../kernel/networks.ts";
import { Failure } from "../../kernel/failure.ts";
import type { AccessTokenRow } from "./access-token.ts";

/**
 * Networks as they are stored, each in one spelling and once; null for an empty list, which limits
 * nothing. `own`: the address of the person who makes the list; undefined: in process. Throws
 * `invalid_input` for what is no network, and for a list that its own author is outside of: who
 * mistypes it, or takes a proxy's address for their own, would shut themselves out.
 */
export function addressList(
  texts: readonly string[],
  own: string | undefined,
): string[] | null {
  const networks = networksOf(texts);
  if (networks === null || own === undefined || new Networks(networks).include(own)) {
    return networks;
  }
  throw invalid(`addresses: your own address, ${own}, is not among them`);
}

/** The networks without an author's address, for the operator of the server. */
export function networksOf(texts: readonly string[]): string[] | null {
  const networks = texts.map((text, index) => {
    const network = networkText(text);
    if (network !== undefined) return network;
    throw invalid(`addresses[${index}]: expected an address or a network such as 10.0.0.0/8`);
  });
  return networks.length === 0 ? null : [...new Set(networks)];
}

/** From where alone an access token opens something, as a principal carries it. */
export function addressesOf({ addresses }: Pick<AccessTokenRow, "addresses">): {
  addresses?: Networks;
} {
  return addresses === null ? {} : { addresses: new Networks(addresses.split(" ")) };
}

/** Whether an access token, or whoever it belongs to, may call from this address. */
export function opensFrom(
  { addresses }: { readonly addresses?: Networks },
  address: string | undefined,
): boolean {
  return addresses === undefined || (address !== undefined && addresses.include(address));
}

function invalid(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
