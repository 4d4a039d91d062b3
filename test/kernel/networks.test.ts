/** Addresses and networks in the spellings of proxies, logs and people. */
import assert from "node:assert/strict";
import { Networks, networkText, readAddress } from "../../src/kernel/networks.ts";

Deno.test("networks: an address is read with its port, its brackets, its spaces, mapped or not", () => {
  const read: readonly (readonly [text: string, address: string | undefined])[] = [
    ["192.0.2.7", "192.0.2.7"],
    [" 192.0.2.7\t", "192.0.2.7"],
    ["192.0.2.7:4711", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::FFFF:c000:207", "192.0.2.7"],
    ["[::ffff:192.0.2.7]:443", "192.0.2.7"],
    ["2001:DB8:0::1", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["[2001:db8::1]:65535", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["", undefined],
    ["192.0.2.7:", undefined],
    ["192.0.2.7:http", undefined],
    ["192.0.2.7:4711:1", undefined],
    ["[192.0.2.7", undefined],
    ["2001:db8::1]:443", undefined],
    ["192.0.2.0/24", undefined],
    ["192.0.2.7, 192.0.2.8", undefined],
    ["unknown", undefined],
  ];
  for (const [text, address] of read) assert.equal(readAddress(text), address, text);
});

Deno.test("networks: a network has one spelling, and a mapped one is one of IPv4", () => {
  const read: readonly (readonly [text: string, network: string | undefined])[] = [
    ["10.0.0.0/8", "10.0.0.0/8"],
    [" 10.0.0.0/08 ", "10.0.0.0/8"],
    ["10.1.2.3:80", "10.1.2.3"],
    ["2001:DB8::/32", "2001:db8::/32"],
    ["[2001:db8::]/32", "2001:db8::/32"],
    ["::ffff:10.0.0.0/104", "10.0.0.0/8"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["::ffff:10.0.0.0/95", undefined],
    ["::ffff:10.0.0.0/129", undefined],
    ["10.0.0.0:80/8", undefined],
    ["10.0.0.0/8/8", undefined],
    ["10.0.0.0/", undefined],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["::/0", "::/0"],
    ["", undefined],
    ["10.0.0", undefined],
    ["10.0.0.0/33", undefined],
    ["::/129", undefined],
    ["fe80::1%eth0", undefined],
    ["fe80::%eth0/64", undefined],
  ];
  for (const [text, network] of read) {
    assert.equal(networkText(text), network, text);
    if (network === undefined) assert.throws(() => new Networks([text]), text);
  }
  const networks = new Networks(["::ffff:10.0.0.0/104", "[2001:db8::]/32"]);
  assert.deepEqual(
    ["10.1.2.3", "11.1.2.3", "2001:db8::1", "2001:db9::1", "x"].map((one) => networks.include(one)),
    [true, false, true, false, false],
  );
});
