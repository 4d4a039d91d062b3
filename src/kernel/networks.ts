import { BlockList, isIP } from "node:net";

/** Addresses and networks in CIDR form. */
export class Networks {
  readonly #list = new BlockList();

  /** `networks`: each as `networkText` takes it. Throws for what is none. */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = "", prefix] = (networkText(network) ?? "").split("/");
      const family = familyOf(address);
      if (prefix === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(prefix), family);
    }
  }

  /** Whether an address, as `plainAddress` gives it, is one of them. False for what is none. */
  include(address: string): boolean {
    return isIP(address) !== 0 && this.#list.check(address, familyOf(address));
  }
}

/**
 * One spelling of a network such as `10.0.0.0/8` or `[2001:db8::]/32`, or of an address as
 * `readAddress` takes it, but for one with a zone; undefined for what is neither. A network of
 * mapped addresses is one of IPv4.
 */
export function networkText(text: string): string | undefined {
  const [address = "", prefix, ...more] = text.trim().split("/");
  if (address.includes("%") || more.length > 0) return undefined;
  if (prefix === undefined) return readAddress(address);
  const bare = address.replace(/^\[(.*)\]$/, "$1");
  const plain = plainAddress(bare);
  if (plain === undefined || !/^\d{1,3}$/.test(prefix)) return undefined;
  const bits = familyOf(plain) === familyOf(bare) ? Number(prefix) : Number(prefix) - MAPPED_BITS;
  const isPrefix = bits >= 0 && bits <= (familyOf(plain) === "ipv4" ? 32 : 128);
  return isPrefix ? `${plain}/${bits}` : undefined;
}

/** The bits before an IPv4 address in its mapped form (RFC 4291, 2.5.5.2). */
const MAPPED_BITS = 96;

function familyOf(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}

/**
 * One spelling for each address: IPv4 where it is one, mapped or not; IPv6 shortened, without its
 * zone; undefined for what is none.
 */
export function plainAddress(text: string): string | undefined {
  const bare = text.replace(/%.*$/, "");
  const version = isIP(bare);
  if (version === 0) return undefined;
  if (version === 4) return bare;
  const short = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short);
  if (!mapped) return short;
  const [high = 0, low = 0] = mapped.slice(1).map((part) => Number.parseInt(part, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/**
 * The address, as `plainAddress` gives it, in a text of a proxy or a caller: with spaces around it,
 * in brackets, with a port (`192.0.2.1:4711`, `[2001:db8::1]:4711`); undefined for what is none.
 */
export function readAddress(text: string): string | undefined {
  const entry = text.trim();
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([^:]*):\d{1,5})$/.exec(entry) ?? [];
  return plainAddress(bracketed ?? plain ?? entry);
}
