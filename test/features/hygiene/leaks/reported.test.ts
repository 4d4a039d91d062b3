/** What is kept of the place where something was found. */
import assert from "node:assert/strict";
import { withoutSecrets } from "../../../../src/features/hygiene/leaks/reported.ts";

Deno.test("leaks: a place is kept without what was reported, in whatever encoding it stands there", () => {
  const kept: [url: string, reported: string[], safe: string][] = [
    ["https://x.org/a", ["kd_secret"], "https://x.org/a"],
    ["https://x.org/?k=s3cretPassw", ["s3cretPassw"], "https://x.org/?k=…"],
    ["https://x.org/?user=bob&p=S3cretPassw", ["bob:S3cretPassw"], "https://x.org/?user=bob&p=…"],
    ["https://x.org/?p=a%20b%2Fc%2F", ["bob:a b/c/"], "https://x.org/?p=…"],
    // Encoded as a form, by lower-case digits, or more than is needed.
    ["https://x.org/?p=a+b%2fc%2f", ["bob:a b/c/"], "…"],
    ["https://x.org/?p=%53%33cret", ["S3cret"], "…"],
    ["https://x.org/?p=abc", ["bob:abc"], "…"],
    ["https://x.org/?p=def", ["bob:abc"], "https://x.org/?p=def"],
    ["https://x.org/100%", ["bob:s3cret"], "https://x.org/100%"],
  ];
  for (const [url, reported, safe] of kept) assert.equal(withoutSecrets(url, reported), safe, url);
});
