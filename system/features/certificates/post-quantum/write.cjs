// What OpenSSL 3.5 inside this Node makes: a key of each algorithm, in the form that it writes by
// itself, and certificates that these sign. Prints JSON; all values are DER in base64.
const crypto = require("node:crypto");
const process = require("node:process");

const HASHES = ["sha2", "shake"];
const SIZES = ["128s", "128f", "192s", "192f", "256s", "256f"];
const names = [
  ...["44", "65", "87"].map((size) => `ml-dsa-${size}`),
  ...["512", "768", "1024"].map((size) => `ml-kem-${size}`),
  ...HASHES.flatMap((hash) => SIZES.map((size) => `slh-dsa-${hash}-${size}`)),
];
/** Their signatures are of some kilobytes. */
const SIGNING = ["ml-dsa-44", "ml-dsa-65", "ml-dsa-87", "slh-dsa-sha2-128s"];

const length = (n) =>
  n < 128
    ? [n]
    : n < 256
    ? [0x81, n]
    : n < 65536
    ? [0x82, n >> 8, n & 255]
    : [0x83, n >> 16, n >> 8 & 255, n & 255];
const der = (tag, ...parts) => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([tag, ...length(content.length)]), content]);
};
const sequence = (...parts) => der(0x30, ...parts);

/** A certificate that signs itself, valid from 2026 to 2046. */
function certificate(text, { publicKey, privateKey }) {
  const info = publicKey.export({ type: "spki", format: "der" });
  const algorithm = info.subarray(info[1] === 0x82 ? 4 : 2).subarray(0, 13);
  const name = sequence(der(0x31, sequence(der(6, [0x55, 4, 3]), der(0x0c, Buffer.from(text)))));
  const time = (value) => der(0x17, Buffer.from(value));
  const body = sequence(
    der(0xa0, der(2, [2])),
    der(2, [0x40, ...crypto.randomBytes(7)]),
    algorithm,
    name,
    sequence(time("260101000000Z"), time("460101000000Z")),
    name,
    info,
  );
  return sequence(body, algorithm, der(3, [0], crypto.sign(null, body, privateKey)));
}

const made = { writer: `OpenSSL ${process.versions.openssl}`, keys: {}, certificates: {} };
for (const kind of names) {
  const pair = crypto.generateKeyPairSync(kind);
  const name = kind.replace(/^ml-(dsa|kem)|^slh-dsa-(sha2|shake)/, (text) => text.toUpperCase());
  made.keys[name] = {
    pkcs8: pair.privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
    spki: pair.publicKey.export({ type: "spki", format: "der" }).toString("base64"),
  };
  if (SIGNING.includes(kind)) made.certificates[name] = certificate(name, pair).toString("base64");
}
console.log(JSON.stringify(made, null, 2));
