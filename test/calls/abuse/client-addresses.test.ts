/**
 * Whose address counts: the connection's, or what trusted proxies say, never what a client says of
 * itself.
 */
import assert from "node:assert/strict";
import { ClientAddresses } from "../../../src/calls/abuse/client-addresses.ts";

function addressOf(proxies: string[], connected: string | undefined, forwarded?: string) {
  const headers = new Headers(forwarded === undefined ? {} : { "x-forwarded-for": forwarded });
  const peer = connected === undefined ? undefined : { remoteAddr: { hostname: connected } };
  return new ClientAddresses(proxies).of({ peer, headers });
}

Deno.test("address: without trusted proxies the connection counts, whatever the header says", () => {
  assert.equal(addressOf([], "192.0.2.1", "198.51.100.7"), "192.0.2.1");
  assert.equal(addressOf(["10.0.0.0/8"], "192.0.2.1", "198.51.100.7"), "192.0.2.1");
  assert.equal(addressOf([], "192.0.2.1"), "192.0.2.1");
  assert.equal(addressOf(["10.0.0.0/8"], undefined, "198.51.100.7"), undefined);
});

Deno.test("address: behind trusted proxies the rightmost entry that none of them is counts", () => {
  const proxies = ["10.0.0.0/8", "::1", "2001:db8:ff::/48"];
  const cases: [connected: string, forwarded: string, address: string][] = [
    ["10.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", "1.2.3.4, 198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", "1.2.3.4,198.51.100.7,10.9.9.9", "198.51.100.7"],
    ["10.0.0.1", "10.0.0.5, 198.51.100.7, 2001:db8:ff::2", "198.51.100.7"],
    ["::1", " 198.51.100.7:4711 ", "198.51.100.7"],
    ["::ffff:10.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", "[2001:db8:1:2:3::4]:4711", "2001:db8:1:2::/64"],
    // Nothing usable to the left of a proxy: the proxy itself counts.
    ["10.0.0.1", "", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.7, unknown", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.7, 10.0.0.2, _hidden, 10.0.0.3", "10.0.0.3"],
    ["10.0.0.1", "10.0.0.2, 10.0.0.3", "10.0.0.2"],
  ];
  for (const [connected, forwarded, address] of cases) {
    assert.equal(addressOf(proxies, connected, forwarded), address, forwarded);
  }
  assert.equal(addressOf(proxies, "10.0.0.1", "8.8.8.8,".repeat(5000) + "10.0.0.2"), "8.8.8.8");
});

Deno.test("address: IPv6 counts by its /64 in one spelling, IPv4 in IPv6 as IPv4", () => {
  const same = ["2001:db8::1", "2001:DB8:0:0:ffff::", "2001:0db8:0000::5", "2001:db8::0:1%eth0"];
  for (const one of same) assert.equal(addressOf([], one), "2001:db8:0:0::/64");
  assert.equal(addressOf([], "2001:db8:0:1::1"), "2001:db8:0:1::/64");
  assert.equal(addressOf([], "::1"), "0:0:0:0::/64");
  assert.equal(addressOf([], "1:2:3:4:5:6:7:8"), "1:2:3:4::/64");
  assert.equal(addressOf([], "1::4:5:6:7:8"), "1:0:0:4::/64");
  assert.equal(addressOf([], "::ffff:192.0.2.1"), "192.0.2.1");
  assert.equal(addressOf([], "::ffff:c000:201"), "192.0.2.1");
});

Deno.test("address: a refusal keeps the visitor's network, never that of whoever asks for them", () => {
  const addresses = new ClientAddresses(["10.0.0.0/8"]);
  const networkOf = (hostname: string, forwarded?: string) =>
    addresses.networkBehind({
      peer: { remoteAddr: { hostname } },
      headers: new Headers(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }),
    });
  assert.equal(networkOf("10.0.0.1", "198.51.100.7"), "198.51.100.0/24");
  assert.equal(networkOf("10.0.0.1", "2001:db8:1:2::3"), "2001:db8:1::/48");
  // A gateway that is not trusted, and a proxy that says nothing of its visitor.
  assert.equal(networkOf("203.0.113.9", "198.51.100.7"), "");
  assert.equal(networkOf("10.0.0.1"), "");
  assert.equal(networkOf("10.0.0.1", "unknown"), "");
});
