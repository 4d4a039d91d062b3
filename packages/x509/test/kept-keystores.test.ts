/** Files that other programs of 2026 write are read, or refused by the name of their cipher. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { certificateUpload, recordOf, refusal } from "./support/reading.ts";

const PASSPHRASE = "pässwörd";
const fileOf = (name: string) => Deno.readFileSync(new URL(`./keystores/${name}`, import.meta.url));
const certificate = new TextDecoder().decode(fileOf("certificate.pem"));

const keystores = [
  "bouncycastle-1.85.p12",
  "bouncycastle-1.87.p12",
  "bouncycastle-1.87-aes-cbc.p12",
  "bouncycastle-1.87-aes-gcm.p12",
  "bouncycastle-1.85-pbmac1.p12",
  "bouncycastle-1.87-pbmac1.p12",
  "cryptography-50.0.2.p12",
  "jdk-25.0.2.p12",
];

for (const name of keystores) {
  Deno.test(`kept keystores: ${name} opens with its passphrase, and is asked for it`, async () => {
    const file = fileOf(name);
    const { leaf, privateKey } = await certificateUpload(file, { passphrase: PASSPHRASE });
    assert.equal(leaf.fingerprint, recordOf(certificate).fingerprint);
    const key = createPrivateKey({
      key: Buffer.from(privateKey ?? []),
      format: "der",
      type: "pkcs8",
    });
    assert.ok(createPublicKey(key).equals(new X509Certificate(certificate).publicKey));
    await refusal(file, "passphrase_required");
    await refusal(file, "wrong_passphrase", { passphrase: "password" });
  });
}

Deno.test("kept keystores: keys by Camellia and ARIA are refused by name, with the command", async () => {
  for (const [name, cipher] of [["camellia", "Camellia"], ["aria", "ARIA"]]) {
    const key = new TextDecoder().decode(fileOf(`node-24-${name}-256-cbc.pem`));
    const { message } = await refusal(certificate + key, "unsupported", { passphrase: PASSPHRASE });
    assert.equal(
      message,
      `The file uses ${cipher}-256-CBC, which is not supported. ` +
        "Convert it by: openssl pkcs8 -topk8 -v2 aes-256-cbc -in FILE -out FILE.pem",
    );
  }
});
