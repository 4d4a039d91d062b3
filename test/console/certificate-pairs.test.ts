/** A certificate and its key as two files are one upload. */
import assert from "node:assert/strict";
import { withKeys } from "../../console/screens/certificates/pairs.ts";
import { readEntries } from "../../packages/x509/entries.ts";
import { issue } from "../../packages/x509/test/support/issue.ts";
import { derOf, newKey } from "../../packages/x509/test/support/keys.ts";

const shop = issue({ key: newKey("P-256"), subject: { CN: "shop" } });
const mail = issue({ key: newKey("P-256"), subject: { CN: "mail" } });
const file = (name: string, content: string | Uint8Array) => ({
  name,
  file: new Blob([typeof content === "string" ? content : new Uint8Array(content)]),
});

const crt = file("shop.crt", shop.certificate);
const key = file("shop.key", shop.key);
const der = file("shop.der", derOf(shop.certificate));
const differently = file("private.pem", shop.key);
const other = file("mail.crt", mail.certificate);
const otherKey = file("mail.key", mail.key);
const request = file("shop.csr", "-----BEGIN CERTIFICATE REQUEST-----\n");
const keystore = file("shop.p12", new Uint8Array([0x30, 0x03, 0x02, 0x01, 0x03]));

const rows: [what: string, chosen: typeof crt[], uploads: string[]][] = [
  ["nothing", [], []],
  ["a certificate and its key", [crt, key], ["shop.crt + shop.key"]],
  ["the key first", [key, crt], ["shop.crt + shop.key"]],
  ["a certificate in DER", [key, der], ["shop.der + shop.key"]],
  ["one of each, of other names", [crt, differently], ["shop.crt + private.pem"]],
  ["two pairs", [crt, other, otherKey, key], ["shop.crt + shop.key", "mail.crt + mail.key"]],
  ["a key of no certificate there", [crt, other, differently], [
    "shop.crt",
    "mail.crt",
    "private.pem",
  ]],
  ["two certificates of the name", [crt, der, key], ["shop.crt", "shop.der", "shop.key"]],
  ["a request beside", [request, crt, key], ["shop.csr", "shop.crt + shop.key"]],
  ["a keystore and a key", [keystore, key], ["shop.p12", "shop.key"]],
];

for (const [what, chosen, uploads] of rows) {
  Deno.test(`console, files together: ${what}`, async () => {
    const made = await withKeys(chosen);
    assert.deepEqual(made.map(({ name }) => name), uploads);
    for (const { name, file } of made.filter(({ name }) => name.includes("+"))) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const { uploads: [entry] } = await readEntries(bytes, { nowMs: Date.now() });
      assert.ok(entry?.kind === "certificate" && entry.privateKey, name);
    }
  });
}
