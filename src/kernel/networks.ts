import { BlockList, isIP } from "node:net";

/** Addresses and networks in CIDR form. */
export class Networks {
  readonly #list = new BlockList();

  /** `networks`: each as `isNetwork` takes it. */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = "", prefix] = network.split("/");
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

/** True for an address, or a network such as `10.0.0.0/8` or `2001:db8::/32`. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  const version = address.includes("%") ? 0 : isIP(address);
  if (version === 0 || more.length > 0) return false;
  return prefix === undefined ||
    (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/**
 * One spelling of an address or a network; undefined for what is none. An IPv4 one must be written
 * as such, since that is how `plainAddress` gives it.
 */
export function networkText(text: string): string | undefined {
  if (!isNetwork(text)) return undefined;
  const [address = "", prefix] = text.split("/");
  const plain = plainAddress(address);
  if (plain === undefined || familyOf(plain) !== familyOf(address)) return undefined;
  return prefix === undefined ? plain : `${plain}/${Number(prefix)}`;
}

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
