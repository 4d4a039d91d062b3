/** A network in another one, without what reads addresses: held against what does. */
import assert from "node:assert/strict";
import { isNetworkWithin } from "../../src/kernel/network-within.ts";
import { Networks, networkText } from "../../src/kernel/networks.ts";

const NETWORKS = [
  "192.0.2.0/24",
  "192.0.2.128/25",
  "192.0.2.7",
  "192.0.2.7/32",
  "192.0.3.0/24",
  "192.0.0.0/16",
  "0.0.0.0/0",
  "10.0.0.0/8",
  "::/0",
  "::1",
  "2001:db8::/32",
  "2001:db8:0:1::/64",
  "2001:db8:0:1::5",
  "2001:db8:0:1:0:0:0:5",
  "2001:db9::/32",
  "fe80::/10",
  "1:2:3:4:5:6:7:8",
].map((text) => networkText(text) ?? "");

Deno.test("network within: as a list of blocks says, for each pair", () => {
  assert.ok(!NETWORKS.includes(""));
  for (const inner of NETWORKS) {
    for (const outer of NETWORKS) {
      const [address = ""] = inner.split("/");
      const family = address.includes(":") ? 128 : 32;
      const prefix = (text: string) => Number(text.split("/")[1] ?? family);
      const expected = outer.includes(":") === inner.includes(":") &&
        prefix(inner) >= prefix(outer) && new Networks([outer]).include(address);
      assert.equal(isNetworkWithin(inner, outer), expected, `${inner} in ${outer}`);
    }
  }
  assert.ok(isNetworkWithin("192.0.2.128/25", "192.0.2.0/24"));
  assert.ok(!isNetworkWithin("192.0.2.0/24", "192.0.2.128/25"));
});
