import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readBundle } from "../bundle.ts";
import { issue, issueWithValidity } from "./support/issue.ts";
import { roots } from "./support/roots.ts";

const good = issue({ subject: { CN: "good" } });
const resultsOf = (text: string) => [...readBundle(Buffer.from(text))];

Deno.test("one bad block does not spoil the rest; each result says its line", () => {
  const bad = "-----BEGIN CERTIFICATE-----\nMIIBAgMEBQ==\n-----END CERTIFICATE-----\n";
  const cut = "-----BEGIN CERTIFICATE-----\nMIIB\n";
  const lines = good.certificate.split("\n").length - 1;
  const results = resultsOf(good.certificate + bad + good.key + cut + good.certificate);
  const short = results.map((result) => [
    result.index,
    result.line,
    result.ok ? result.certificate.subject_cn : result.reason,
  ]);
  const keyLines = good.key.split("\n").length - 1;
  assert.deepEqual(short, [
    [0, 1, "good"],
    [1, lines + 1, "malformed"],
    [2, lines + 4, "unsupported"],
    [3, lines + 4 + keyLines, "not_pem"],
    [4, lines + 6 + keyLines, "good"],
  ]);
});

Deno.test("expired certificates are taken; an empty bundle and one without blocks say so", () => {
  const [expired] = resultsOf(issueWithValidity("20200101000000Z", "20200201000000Z"));
  assert.ok(expired?.ok);
  const reasons = ["", "hello"].map((text) => resultsOf(text).map((r) => r.ok || r.reason));
  assert.deepEqual(reasons, [["empty"], ["not_pem"]]);
});

Deno.test("memory stays flat over a bundle of many certificates", () => {
  const bundle = Buffer.from(roots.repeat(70));
  // This thread's own: others of the process run other tests.
  const used = () => {
    const { heapUsed, external } = Deno.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  let peak = before;
  let count = 0;
  for (const result of readBundle(bundle)) {
    assert.ok(result.ok);
    if (++count % 500 === 0) peak = Math.max(peak, used());
  }
  assert.ok(count > 7_000);
  const grown = (peak - before) / 1024 / 1024;
  assert.ok(grown < 40, `grew by ${grown} MiB over ${count} certificates`);
});
