#!/bin/sh
# Deno's X509Certificate throws at a valid certificate that has a unique identifier; Node reads it.
#
# Versions: deno 2.9.6 (npm), against whichever Node runs this (20 or later), run 2026-11-29.
# Behaviour: RFC 5280, 4.1.2.8 lets a certificate of version 2 or 3 carry `issuerUniqueID` and
# `subjectUniqueID`, bit strings with implicit tags, and demands that applications parse them.
# `new X509Certificate(der)` of node:crypto reads such a certificate under Node. Under Deno it
# throws, so code that takes the runtime's reader for the judge calls such a certificate malformed.
# Without the identifier, and signed by the same key, Deno reads it.
# Output seen:
#   node: without: CN=v2, with an issuer's unique identifier: CN=v2
#   deno: without: CN=v2, with an issuer's unique identifier: refused
# Source: RFC 5280, sections 4.1 and 4.1.2.8.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund deno@2.9.6 >/dev/null
cat >run.mjs <<'M'
import { Buffer } from "node:buffer";
import { generateKeyPairSync, sign, X509Certificate } from "node:crypto";
import process from "node:process";

const length = (n) => n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 255];
const der = (tag, ...parts) => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([tag, ...length(content.length)]), content]);
};
const sequence = (...parts) => der(0x30, ...parts);
const ecdsaWithSha256 = sequence(der(6, [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]));
const name = sequence(der(0x31, sequence(der(6, [0x55, 4, 3]), der(0x0c, Buffer.from("v2")))));
const time = (text) => der(0x17, Buffer.from(text));
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const subjectKey = publicKey.export({ type: "spki", format: "der" });

/** A certificate that signs itself, with `ids` between the key and where extensions would be. */
function certificate(...ids) {
  const body = sequence(
    der(0xa0, der(2, [2])),
    der(2, [1]),
    ecdsaWithSha256,
    name,
    sequence(time("260101000000Z"), time("360101000000Z")),
    name,
    subjectKey,
    ...ids,
  );
  const signature = sign("sha256", body, privateKey);
  return sequence(body, ecdsaWithSha256, der(3, [0], signature));
}

const read = (bytes) => {
  try {
    return new X509Certificate(bytes).subject;
  } catch {
    return "refused";
  }
};
const withId = certificate(der(0x81, [0, 1, 2]));
const runtime = process.versions.deno ? "deno" : "node";
const said = `with an issuer's unique identifier: ${read(withId)}`;
console.log(`${runtime}: without: ${read(certificate())}, ${said}`);
M
node run.mjs >seen
node_modules/.bin/deno run --allow-all --quiet run.mjs >>seen
cat seen
printf '%s\n' \
  "node: without: CN=v2, with an issuer's unique identifier: CN=v2" \
  "deno: without: CN=v2, with an issuer's unique identifier: refused" | diff - seen
