/** What may be named in KEYDESK_OUTBOUND, and what a name may lead to. */
import assert from "node:assert/strict";
import { hostOf, isEntry, isLoopback, Reachable } from "../../../src/kernel/outbound/reachable.ts";

Deno.test("reachable: hosts, ports, addresses and networks are entries; what holds everything is none", () => {
  for (
    const entry of [
      "hooks.example.org",
      "Hooks.Example.org:8443",
      "localhost:9000",
      "xn--bcher-kva.example",
      "10.1.2.3",
      "10.1.2.3:8443",
      "2001:db8::1",
      "[2001:db8::1]",
      "[2001:db8::1]:8443",
      "10.1.0.0/16",
      "fd00::/8",
    ]
  ) assert.ok(isEntry(entry), entry);
  for (
    const entry of [
      "",
      "*",
      "*.example.org",
      "0.0.0.0/0",
      "::/0",
      "10.0.0.0/00",
      "10.0.0.0/33",
      "a b",
      "a..b",
      "-a",
      "a:0",
      "a:65536",
      "a:b",
      "https://a",
      "a/b",
      "user@a",
      "[a]",
      "[10.0.0.1]",
      "1.2.3.4.5",
      "0x7f000001",
      "2130706433",
      "a".repeat(64),
      `${"a.".repeat(127)}a`,
    ]
  ) {
    assert.ok(!isEntry(entry), entry);
    assert.throws(() => new Reachable([entry]), TypeError);
  }
});

Deno.test("reachable: a host is named at its ports alone, in any spelling of a URL", () => {
  const reachable = new Reachable(["Hooks.example.org", "a.example:8443", "[2001:DB8:0::1]:8443"]);
  const names = (text: string) => {
    const url = new URL(text);
    return reachable.names(hostOf(url), Number(url.port) || (url.protocol === "https:" ? 443 : 80));
  };
  assert.ok(names("https://hooks.example.org/x"));
  assert.ok(names("https://HOOKS.example.org./x"));
  assert.ok(names("http://hooks.example.org"));
  assert.ok(!names("https://hooks.example.org:8443"));
  assert.ok(!names("https://sub.hooks.example.org"));
  assert.ok(!names("https://hooks.example.org.evil.example"));
  assert.ok(names("https://a.example:8443"));
  assert.ok(!names("https://a.example"));
  assert.ok(names("https://[2001:db8::1]:8443"));
  assert.ok(!new Reachable([]).names("localhost", 443));
});

Deno.test("reachable: a name leads to public addresses, and to others that are named", () => {
  const none = new Reachable(["hooks.example.org"]);
  for (
    const address of ["8.8.8.8", "172.15.0.1", "192.167.1.1", "2606:4700::1111", "::ffff:8.8.8.8"]
  ) {
    assert.ok(none.leadsTo(address), address);
  }
  const inside = [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    // What stands for an IPv4 address.
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "::169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::",
    "2001:0:a9fe:a9fe::",
    "",
    "nonsense",
  ];
  for (const address of inside) assert.ok(!none.leadsTo(address), address);
  const some = new Reachable(["10.1.0.0/16", "192.168.1.1:8443", "localhost", "fd00::/8"]);
  for (
    const address of ["10.1.2.3", "::ffff:10.1.2.3", "192.168.1.1", "127.0.0.1", "::1", "fd00::1"]
  ) {
    assert.ok(some.leadsTo(address), address);
  }
  for (const address of ["10.2.0.1", "192.168.1.2", "169.254.169.254", "fe80::1"]) {
    assert.ok(!some.leadsTo(address), address);
  }
  assert.ok(isLoopback("127.8.9.1") && isLoopback("::ffff:127.0.0.1") && !isLoopback("10.0.0.1"));
});
