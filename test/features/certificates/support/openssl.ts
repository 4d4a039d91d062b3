import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What `openssl` writes to its standard output. Throws when it is missing or fails: no test is skipped. */
export function openssl(args: string[], input: string | Uint8Array = ""): Buffer {
  const run = spawnSync("openssl", args, { input, maxBuffer: 64 * 1024 * 1024 });
  if (run.error) throw run.error;
  if (run.status !== 0) throw new Error(`openssl ${args.join(" ")}: ${run.stderr}`);
  return run.stdout;
}

/** Runs `work` with a folder of its own, which is gone afterwards. */
export function inFolder<T>(
  files: Record<string, string | Uint8Array>,
  work: (dir: string) => T,
): T {
  const dir = mkdtempSync(join(tmpdir(), "certificates-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    return work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A new private key as PKCS#8 PEM. */
export function newKey(kind: string): string {
  return String(openssl(["genpkey", ...(KEYS[kind] ?? curveOptions(kind))]));
}

const KEYS: Record<string, string[]> = {
  rsa: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
  "rsa-pss": ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"],
  ed25519: ["-algorithm", "ED25519"],
  ed448: ["-algorithm", "ED448"],
};

function curveOptions(curve: string): string[] {
  return ["-algorithm", "EC", "-pkeyopt", `ec_paramgen_curve:${curve}`];
}

/** A certificate and its key, both PEM. */
export interface Issued {
  certificate: string;
  key: string;
}

/** What a test certificate shall be. */
export interface Wanted {
  key?: string;
  /** Lines of a distinguished_name section; empty for no name. */
  subject?: string;
  /** Lines of an extensions section. */
  extensions?: string;
  /** Further sections. */
  sections?: string;
  issuer?: Issued;
  options?: string[];
}

const defaultKey = newKey("P-256");

/** A certificate that `openssl req` makes: self-signed, or signed by `issuer`; a P-256 key unless given. */
export function issue(wanted: Wanted): Issued {
  const { key = defaultKey, subject = "CN=test", extensions = "", sections = "", issuer } = wanted;
  const config = `[req]\ndistinguished_name=dn\nprompt=no\nutf8=yes\nx509_extensions=ext\n` +
    `string_mask=${wanted.options?.includes("-nameopt") ? "nombstr" : "utf8only"}\n` +
    `[dn]\n${subject}\n[ext]\n${extensions}\n${sections}\n`;
  const files = {
    "key.pem": key,
    "openssl.cnf": config,
    "ca.pem": issuer?.certificate ?? "",
    "ca-key.pem": issuer?.key ?? "",
  };
  return inFolder(files, (dir) => {
    const path = (name: string) => join(dir, name);
    const signer = issuer ? ["-CA", path("ca.pem"), "-CAkey", path("ca-key.pem")] : [];
    const certificate = openssl([
      ...["req", "-x509", "-new", "-key", path("key.pem"), "-config", path("openssl.cnf")],
      ...signer,
      ...(wanted.options ?? []),
    ]);
    return { certificate: String(certificate), key };
  });
}

/** A self-signed certificate with this validity, each end as YYYYMMDDHHMMSSZ. */
export function issueWithValidity(from: string, to: string): string {
  const config =
    `[ca]\ndefault_ca=d\n[d]\ndatabase=$ENV::FOLDER/index\nnew_certs_dir=$ENV::FOLDER\n` +
    "serial=$ENV::FOLDER/serial\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n";
  const request = `[req]\ndistinguished_name=dn\nprompt=no\n[dn]\nCN=dated\n`;
  const files = { "key.pem": defaultKey, cnf: config, req: request, index: "", serial: "01" };
  return inFolder(files, (dir) => {
    const path = (name: string) => join(dir, name);
    const csr = openssl(["req", "-new", "-key", path("key.pem"), "-config", path("req")]);
    writeFileSync(path("csr.pem"), csr);
    writeFileSync(path("cnf"), config.replaceAll("$ENV::FOLDER", dir));
    openssl([
      ...["ca", "-batch", "-selfsign", "-notext", "-config", path("cnf")],
      ...["-keyfile", path("key.pem"), "-in", path("csr.pem"), "-out", path("cert.pem")],
      ...["-startdate", from, "-enddate", to],
    ]);
    return readFileSync(path("cert.pem"), "utf8");
  });
}

/** A PKCS#12 file of what is given. */
export function pkcs12(
  parts: Issued & { chain?: string },
  passphrase: string,
  options: string[] = [],
): Uint8Array {
  const files = {
    "key.pem": parts.key,
    "cert.pem": parts.certificate,
    "chain.pem": parts.chain ?? "",
  };
  return inFolder(files, (dir) => {
    const chain = parts.chain ? ["-certfile", join(dir, "chain.pem")] : [];
    return new Uint8Array(openssl([
      ...["pkcs12", "-export", "-provider", "default", "-provider", "legacy"],
      ...["-inkey", join(dir, "key.pem"), "-in", join(dir, "cert.pem"), ...chain],
      ...["-passout", `pass:${passphrase}`, ...options],
    ]));
  });
}
