import type { Peer, ReceivedHeaders } from "../../../packages/http-listener/request.ts";
import { isIP } from "node:net";
import { Networks, plainAddress, readAddress } from "../../kernel/networks.ts";

/**
 * More entries of a header than any chain of proxies leaves behind are not looked at, nor more
 * characters.
 */
const MOST_HOPS = 32;
const LONGEST_CHAIN = MOST_HOPS * 64;

/**
 * How much of a client's address the audit log keeps: all, its network (/24 or /48), or nothing.
 */
export const addressChoices = ["full", "short", "off"] as const;
/** One of them. */
type AddressChoice = typeof addressChoices[number];

/**
 * Finds out whose address is behind a call: its connection's, or what proxies that are trusted say
 * of it.
 */
export class ClientAddresses {
  readonly #trusted: Networks;
  readonly #trustsAnybody: boolean;
  readonly #kept: AddressChoice;

  /**
   * `proxies`: addresses and networks in CIDR form, as `networkText` takes them. `kept`: what the
   * audit log may hold.
   */
  constructor(proxies: readonly string[], kept: AddressChoice = "full") {
    this.#kept = kept;
    this.#trustsAnybody = proxies.length > 0;
    this.#trusted = new Networks(proxies);
  }

  /**
   * The group by which the caller of a request is counted: an IPv4 address, or the /64 of an IPv6
   * address, which is one subscriber's. Undefined for a call in process.
   */
  of(call: { peer: Peer | undefined; headers: ReceivedHeaders }): string | undefined {
    const address = this.exactly(call);
    return address === undefined ? undefined : networkOf(address, 4);
  }

  /**
   * The group by which a connection from this address is counted before its first request: the
   * address or its network, as above. Undefined for a trusted proxy, which may forward for anyone.
   */
  connectedFrom(hostname: string): string | undefined {
    const address = plainAddress(hostname) ?? hostname;
    return this.#trusted.include(address) ? undefined : networkOf(address, 4);
  }

  /**
   * The address as the audit log may keep it: whole, as its network, or ""; "" for a call in
   * process too.
   */
  kept(call: { peer: Peer | undefined; headers: ReceivedHeaders }): string {
    if (this.#kept === "off") return "";
    const address = this.exactly(call);
    if (address === undefined || this.#kept === "full" || isIP(address) === 0) return address ?? "";
    return shortened(address);
  }

  /**
   * The network (/24 or /48) of the visitor for whom a proxy asks that is trusted; "" where it is
   * not, or says nothing that is an address, and where nothing of an address may be kept.
   */
  networkBehind(call: { peer: Peer | undefined; headers: ReceivedHeaders }): string {
    const visitor = this.#kept === "off" ? undefined : this.ofVisitor(call);
    return visitor === undefined ? "" : shortened(visitor);
  }

  /**
   * The caller's whole address, IPv4 where it is one. Undefined for a call in process.
   * `X-Forwarded-For` is read from its right end, where our own proxies wrote, and only as far as
   * these are trusted: what a client put there itself is never reached.
   */
  exactly(call: { peer: Peer | undefined; headers: ReceivedHeaders }): string | undefined {
    const connected = call.peer?.remoteAddr?.hostname;
    if (connected === undefined) return undefined;
    let address = plainAddress(connected) ?? connected;
    if (this.#trustsAnybody) {
      for (const entry of lastHops(call.headers.get("x-forwarded-for") ?? "")) {
        if (!this.#trusted.include(address)) break;
        const before = readAddress(entry);
        // A proxy that we trust wrote what is no address: it is the last that we know of.
        if (before === undefined) break;
        address = before;
      }
    }
    return address;
  }

  /**
   * The address of the visitor for whom a proxy asks: what `X-Forwarded-For` says of the person who
   * called the last proxy that is trusted. Undefined where the proxy is not, or says nothing that
   * is an address: its own is not the visitor's.
   */
  ofVisitor(call: { peer: Peer | undefined; headers: ReceivedHeaders }): string | undefined {
    const connected = call.peer?.remoteAddr?.hostname;
    if (!this.#trustsAnybody || connected === undefined) return undefined;
    let asked = plainAddress(connected) ?? connected;
    let visitor: string | undefined;
    for (const entry of lastHops(call.headers.get("x-forwarded-for") ?? "")) {
      if (!this.#trusted.include(asked)) break;
      visitor = readAddress(entry);
      if (visitor === undefined) break;
      asked = visitor;
    }
    return visitor;
  }

  /**
   * Whether a proxy that is trusted says by `X-Forwarded-Proto` that the browser came by https. Of
   * several entries the first is the browser's.
   */
  saysHttps(call: { peer: Peer | undefined; headers: ReceivedHeaders }): boolean {
    const connected = call.peer?.remoteAddr?.hostname;
    if (connected === undefined || !this.#trusted.include(plainAddress(connected) ?? connected)) {
      return false;
    }
    const said = call.headers.get("x-forwarded-proto")?.slice(0, LONGEST_CHAIN);
    return said?.split(",")[0]?.trim().toLowerCase() === "https";
  }
}

function shortened(address: string): string {
  return isIP(address) === 4
    ? `${address.slice(0, address.lastIndexOf("."))}.0/24`
    : networkOf(address, 3);
}

/** The last entries of a chain, the last one first. */
function lastHops(chain: string): string[] {
  const entries = chain.slice(-LONGEST_CHAIN).split(",");
  // Cut off somewhere in its middle, it may read as another address.
  if (chain.length > LONGEST_CHAIN) entries.shift();
  return entries.reverse().slice(0, MOST_HOPS);
}

function networkOf(address: string, groups: 3 | 4): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  return `${[...left, ...zeros, ...right].slice(0, groups).join(":")}::/${groups * 16}`;
}
