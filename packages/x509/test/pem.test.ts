import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type PemBlock, readPemBlocks } from "../pem.ts";
import { leastMs } from "./support/least-time.ts";
import { createPublicKey, X509Certificate } from "node:crypto";
import { pemOf, sequence } from "./support/der.ts";
import { issue } from "./support/issue.ts";
import { derOf, pem } from "./support/keys.ts";
import { recordOf } from "./support/reading.ts";

const { certificate, key } = issue({ subject: { CN: "armour" } });
const { fingerprint } = recordOf(certificate);

const blocksOf = (text: string | Uint8Array): PemBlock[] => [...readPemBlocks(Buffer.from(text))];

Deno.test("a certificate survives mail, forms and copy & paste", () => {
  const lines = certificate.trim().split("\n");
  const body = lines.slice(1, -1);
  const whole = (inner: string) => `${lines[0]}${inner}${lines.at(-1)}`;
  const variants: Record<string, string | Uint8Array> = {
    "comments around": `# my certificate: it's mine\n\n${certificate}\nthat was it -- really\n`,
    "CR LF": certificate.replaceAll("\n", "\r\n"),
    "CR alone": certificate.replaceAll("\n", "\r"),
    "line breaks as blanks": certificate.replaceAll("\n", " "),
    "line breaks lost": certificate.replaceAll("\n", ""),
    "all blanks lost": certificate.replace(/\s/g, ""),
    "line breaks written out": certificate.replaceAll("\n", "\\n"),
    "CR LF written out": certificate.replaceAll("\n", "\\r\\n"),
    "blanks doubled": certificate.replaceAll("\n", " \n\n\t "),
    "indented": certificate.replaceAll("\n", "\n    "),
    "no-break spaces": whole(body.join("\u00a0")),
    "UTF-8 BOM": `\ufeff${certificate}`,
    "UTF-16 LE": Buffer.from(`\ufeff${certificate}`, "utf16le"),
    "UTF-16 BE": Buffer.from(`\ufeff${certificate}`, "utf16le").swap16(),
    "headers": whole(`\nComment: from us\nX-Other: 1\n\n${body.join("\n")}\n`),
    "other line length": whole(`\n${(body.join("").match(/.{1,19}/g) ?? []).join("\n")}\n`),
    "padding lost": certificate.replaceAll("=", ""),
    "X509 CERTIFICATE": certificate.replaceAll("CERTIFICATE", "X509 CERTIFICATE"),
    // OpenSSL appends its trust settings: here none.
    "TRUSTED CERTIFICATE": pem(
      "TRUSTED CERTIFICATE",
      Buffer.concat([derOf(certificate), sequence()]),
    ),
    "dashes around": `----------\n${certificate}----------`,
    "a text before": `Certificate:\n    Data:\n        Version: 3 (0x2)\n${certificate}`,
  };
  for (const [name, text] of Object.entries(variants)) {
    assert.equal(recordOf(Buffer.from(text)).fingerprint, fingerprint, name);
  }
});

Deno.test("several blocks in any layout keep their order, labels and lines", () => {
  const text = `note\n${key}\n${certificate}${certificate}`;
  const keyLines = key.split("\n").length;
  const certificateLines = certificate.split("\n").length - 1;
  const found = blocksOf(text).map(({ index, label, line }) => [index, label, line]);
  assert.deepEqual(found, [
    [0, "PRIVATEKEY", 2],
    [1, "CERTIFICATE", keyLines + 2],
    [2, "CERTIFICATE", keyLines + 2 + certificateLines],
  ]);
  assert.equal(blocksOf(text.replaceAll("\n", "")).filter((block) => block.der).length, 3);
});

Deno.test("a damaged block says what is wrong and spoils no other", () => {
  const [begin = ""] = certificate.split("\n");
  const damaged: Record<string, string> = {
    "has no END line": `${begin}\nMIIB\n`,
    "has an END line of another kind": `${begin}\nMIIB\n-----END PRIVATE KEY-----\n`,
    "is empty": `${begin}\n\n-----END CERTIFICATE-----\n`,
    "is not base64": `${begin}\nMI*B\n-----END CERTIFICATE-----\n`,
    "is too large": `${begin}\n${"A".repeat(1_500_001)}\n-----END CERTIFICATE-----\n`,
  };
  for (const [fault, text] of Object.entries(damaged)) {
    const [first, second] = blocksOf(text + certificate);
    assert.deepEqual([first?.fault, first?.der, second?.fault], [fault, undefined, undefined]);
  }
  assert.equal(blocksOf(`${certificate}${begin}`)[1]?.fault, "has no END line");
  assert.equal(blocksOf("-----END CERTIFICATE-----").length, 0);
});

Deno.test("toPem writes what the runtime writes", () => {
  const der = blocksOf(certificate)[0]?.der ?? new Uint8Array();
  assert.equal(pemOf(der), certificate);
  assert.equal(new X509Certificate(pemOf(der)).raw.compare(der), 0);
  const spki = String(createPublicKey(key).export({ type: "spki", format: "pem" }));
  assert.equal(pemOf(blocksOf(spki)[0]?.der ?? new Uint8Array(), "PUBLIC KEY"), spki);
});

Deno.test("time is linear in the input, also where nothing fits together", async () => {
  const hostile = [
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN CERTIFICATE-----\n",
    "-----END CERTIFICATE-----",
    "-----BEGIN CERTIFICATE-----A-----END X-----",
    "-",
    "-----",
    "----- BEGIN ",
    "-----BEGIN CERTIFICATE-----MIIB:\n",
    " ",
    "-----BEGIN CERTIFICATE-----DEK-Info: AES-256-CBC,-----END CERTIFICATE-----",
  ];
  for (const piece of hostile) {
    const msOf = (length: number) => {
      const input = Buffer.from(piece.repeat(length / piece.length));
      return leastMs(() => [...readPemBlocks(input)].length);
    };
    // 32 times as long; squared it would be 1024 times, however often it is measured.
    let [short, long] = [Infinity, Infinity];
    for (let turn = 0; turn < 5 && !(long < 256 * short); turn++) {
      short = await msOf(125_000);
      long = Math.min(long, await msOf(4_000_000));
    }
    assert.ok(long < 256 * short, `${JSON.stringify(piece)}: ${short} ms, then ${long} ms`);
  }
});
