/** Signature algorithms: object identifier → the name that its RFC and OpenSSL use. */
export const signatureAlgorithms: Readonly<Record<string, string>> = {
  "1.2.840.113549.1.1.2": "md2WithRSAEncryption",
  "1.2.840.113549.1.1.4": "md5WithRSAEncryption",
  "1.2.840.113549.1.1.5": "sha1WithRSAEncryption",
  "1.2.840.113549.1.1.10": "rsassaPss",
  "1.2.840.113549.1.1.11": "sha256WithRSAEncryption",
  "1.2.840.113549.1.1.12": "sha384WithRSAEncryption",
  "1.2.840.113549.1.1.13": "sha512WithRSAEncryption",
  "1.2.840.113549.1.1.14": "sha224WithRSAEncryption",
  "1.2.840.10040.4.3": "dsaWithSHA1",
  "2.16.840.1.101.3.4.3.1": "dsa_with_SHA224",
  "2.16.840.1.101.3.4.3.2": "dsa_with_SHA256",
  "1.2.840.10045.4.1": "ecdsa-with-SHA1",
  "1.2.840.10045.4.3.1": "ecdsa-with-SHA224",
  "1.2.840.10045.4.3.2": "ecdsa-with-SHA256",
  "1.2.840.10045.4.3.3": "ecdsa-with-SHA384",
  "1.2.840.10045.4.3.4": "ecdsa-with-SHA512",
  "1.3.101.112": "ED25519",
  "1.3.101.113": "ED448",
};

/** Public key algorithms: object identifier → name, and the size where the algorithm fixes it. */
export const keyAlgorithms: Readonly<Record<string, { name: string; bits?: number }>> = {
  "1.2.840.113549.1.1.1": { name: "RSA" },
  "1.2.840.113549.1.1.10": { name: "RSA-PSS" },
  "1.2.840.10040.4.1": { name: "DSA" },
  "1.2.840.10045.2.1": { name: "ECDSA" },
  "1.3.101.110": { name: "X25519", bits: 256 },
  "1.3.101.111": { name: "X448", bits: 448 },
  "1.3.101.112": { name: "Ed25519", bits: 256 },
  "1.3.101.113": { name: "Ed448", bits: 456 },
};

/** Elliptic curves: object identifier → name and bits. */
export const curves: Readonly<Record<string, { name: string; bits: number }>> = {
  "1.2.840.10045.3.1.1": { name: "prime192v1", bits: 192 },
  "1.2.840.10045.3.1.7": { name: "prime256v1", bits: 256 },
  "1.3.132.0.10": { name: "secp256k1", bits: 256 },
  "1.3.132.0.33": { name: "secp224r1", bits: 224 },
  "1.3.132.0.34": { name: "secp384r1", bits: 384 },
  "1.3.132.0.35": { name: "secp521r1", bits: 521 },
  "1.3.36.3.3.2.8.1.1.3": { name: "brainpoolP192r1", bits: 192 },
  "1.3.36.3.3.2.8.1.1.5": { name: "brainpoolP224r1", bits: 224 },
  "1.3.36.3.3.2.8.1.1.7": { name: "brainpoolP256r1", bits: 256 },
  "1.3.36.3.3.2.8.1.1.9": { name: "brainpoolP320r1", bits: 320 },
  "1.3.36.3.3.2.8.1.1.11": { name: "brainpoolP384r1", bits: 384 },
  "1.3.36.3.3.2.8.1.1.13": { name: "brainpoolP512r1", bits: 512 },
};
