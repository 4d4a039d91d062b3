// Which of the private keys (DER in base64, a line each, after their algorithm) OpenSSL reads: a line
// for each, the public key or nothing.
const crypto = require("node:crypto");
const fs = require("node:fs");

for (const line of fs.readFileSync(0, "utf8").trim().split("\n")) {
  const [, key] = line.split(" ");
  try {
    const held = crypto.createPrivateKey({
      key: Buffer.from(key, "base64"),
      format: "der",
      type: "pkcs8",
    });
    console.log(
      crypto.createPublicKey(held).export({ type: "spki", format: "der" }).toString("base64"),
    );
  } catch {
    console.log("");
  }
}
