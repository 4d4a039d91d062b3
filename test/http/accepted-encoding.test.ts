/** Which encoding a browser takes. */
import assert from "node:assert/strict";
import { acceptedEncoding } from "../../src/http/compression.ts";
import { LONGEST_HEADER } from "../../src/kernel/input-limits.ts";

Deno.test("accepted encoding: the first of ours that the header takes by name", () => {
  const cases: [header: string | null, encoding: string | undefined][] = [
    [null, undefined],
    ["", undefined],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["x-br, GZIP", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br ; q=0.000,gzip ;q=0.001", "gzip"],
    ["br; q=0.5", "br"],
    ["*", undefined],
    ["identity", undefined],
    [`br${" ".repeat(LONGEST_HEADER)}`, undefined],
  ];
  for (const [header, encoding] of cases) {
    assert.equal(acceptedEncoding(header, ["br", "gzip"]), encoding, String(header));
  }
});
