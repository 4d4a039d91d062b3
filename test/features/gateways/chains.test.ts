/** Files with certificates that a gateway does not take. */
import assert from "node:assert/strict";
import { Gateway } from "../../../examples/moving/gateway.ts";
import { issue } from "../../../packages/x509/test/support/issue.ts";
import { newKey } from "../../../packages/x509/test/support/keys.ts";

Deno.test("gateways: the stand-in refuses files of certificates as the gateway does", () => {
  const gateway = new Gateway("0".repeat(24));
  const authority = issue({ authority: true, subject: { CN: "authority" } });
  for (const kind of ["rsa", "P-256", "ed25519"]) {
    const key = newKey(kind);
    const leaf = issue({ issuer: authority, subject: { CN: `leaf ${kind}` }, key });
    const refused = (parts: readonly string[], why: RegExp) =>
      assert.throws(() => gateway.addCertificate(parts.join("\n")), why);
    refused([leaf.certificate, leaf.key, authority.key], /multiple private keys/);
    refused([leaf.certificate, leaf.key, leaf.key], /multiple private keys/);
    refused([authority.certificate, leaf.certificate, leaf.key], /does not match/);
    // Without a key the first one counts, whichever it is.
    assert.equal(
      gateway.addCertificate([leaf.certificate, authority.certificate].join("\n")).length,
      88,
    );
    gateway.removeCertificate(gateway.certificates()[0] ?? "");
    const id = gateway.addCertificate([leaf.key, leaf.certificate].join("\n"));
    refused([leaf.certificate, leaf.key], /already exists/);
    gateway.removeCertificate(id);
  }
  const text = btoa("no key at all");
  const open = `-----BEGIN PUBLIC KEY-----\n${text}\n-----END PUBLIC KEY-----\n`;
  assert.match(gateway.addCertificate(open), /^0{24}[0-9a-f]{64}$/);
  assert.ok(gateway.hasUnreadCertificate());
});
