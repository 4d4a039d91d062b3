#!/bin/sh
# A PKCS#12 keystore with PBMAC1 that BouncyCastle writes opens in no program by OpenSSL 3.5.
#
# Versions: bcprov-jdk18on 1.85 (Maven Central), node 24.21.0 (npm; OpenSSL 3.5.8), run 2026-11-29
# on OpenJDK 17.
# Behaviour: RFC 9579 gives the length of PBMAC1's key in `keyLength` of PBKDF2, in bytes
# (RFC 8018, appendix A.2). BouncyCastle's keystore PKCS12-PBMAC1 writes 256 there, and derives 256
# bytes. OpenSSL takes 64 at the most. So a reader that bounds the length by the longest digest, as
# one would, refuses BouncyCastle's keystores with the right passphrase. The same keystore without
# PBMAC1 (PKCS12-AES256-AES128) opens. Version 1.86 writes 64, which OpenSSL takes.
# Output seen:
#   PKCS12-PBMAC1: keyLength 256: parse error
#   PKCS12-AES256-AES128: opened
# Source: RFC 9579, section 4; RFC 8018, appendix A.2.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B dependency:copy -Dartifact=org.bouncycastle:bcprov-jdk18on:1.85 -DoutputDirectory=. >/dev/null
npm init -y >/dev/null
npm install --no-audit --no-fund node@24.21.0 >/dev/null 2>&1
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -keyout key.pem -out cert.pem \
  -days 30 -subj /CN=x 2>/dev/null
openssl pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out key.der
cat >Make.java <<'J'
import java.io.*;
import java.nio.file.*;
import java.security.*;
import java.security.cert.*;
import java.security.spec.*;

public class Make {
  public static void main(String[] types) throws Exception {
    Security.addProvider(new org.bouncycastle.jce.provider.BouncyCastleProvider());
    PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(
      new PKCS8EncodedKeySpec(Files.readAllBytes(Path.of("key.der"))));
    java.security.cert.Certificate certificate = CertificateFactory.getInstance("X.509")
      .generateCertificate(new FileInputStream("cert.pem"));
    for (String type : types) {
      KeyStore store = KeyStore.getInstance(type, "BC");
      store.load(null, null);
      store.setKeyEntry("x", key, "secret".toCharArray(),
        new java.security.cert.Certificate[] {certificate});
      try (OutputStream out = new FileOutputStream(type + ".p12")) {
        store.store(out, "secret".toCharArray());
      }
    }
  }
}
J
javac -cp bcprov-jdk18on-1.85.jar Make.java
java -cp bcprov-jdk18on-1.85.jar:. Make PKCS12-PBMAC1 PKCS12-AES256-AES128
cat >run.mjs <<'M'
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
for (const type of ["PKCS12-PBMAC1", "PKCS12-AES256-AES128"]) {
  const pfx = readFileSync(`${type}.p12`);
  // INTEGER 256 before the SEQUENCE of hmacWithSHA256: `keyLength` of PBMAC1.
  const length = pfx.includes(Buffer.from("02020100300a06082a864886f70d0209", "hex"))
    ? " keyLength 256:"
    : "";
  try {
    createSecureContext({ pfx, passphrase: "secret" });
    console.log(`${type}:${length} opened`);
  } catch (error) {
    console.log(`${type}:${length} ${error.message}`);
  }
}
M
node_modules/.bin/node run.mjs >seen
cat seen
printf '%s\n' \
  "PKCS12-PBMAC1: keyLength 256: parse error" \
  "PKCS12-AES256-AES128: opened" | diff - seen
