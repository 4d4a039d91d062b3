/**
 * Whether each address of a network lies in another one. Both are in the one spelling that
 * `networkText` gives: no thread that only compares them has to load what reads addresses.
 */
export function isNetworkWithin(inner: string, outer: string): boolean {
  const [small, large] = [read(inner), read(outer)];
  return small.bits.length === large.bits.length && small.prefix >= large.prefix &&
    small.bits.startsWith(large.bits.slice(0, large.prefix));
}

function read(network: string): { bits: string; prefix: number } {
  const [address = "", prefix] = network.split("/");
  const bits = address.includes(":") ? bitsOfV6(address) : bitsOfV4(address);
  return { bits, prefix: prefix === undefined ? bits.length : Number(prefix) };
}

function bitsOfV4(address: string): string {
  return address.split(".").map((part) => binary(Number(part), 8)).join("");
}

/** RFC 5952 writes one run of zeros as "::". */
function bitsOfV6(address: string): string {
  const [before = [], after = []] = address.split("::")
    .map((half) => half === "" ? [] : half.split(":"));
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after]
    .map((group) => binary(Number.parseInt(group, 16), 16)).join("");
}

function binary(n: number, digits: number): string {
  return n.toString(2).padStart(digits, "0");
}
