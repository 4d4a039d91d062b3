/** What the endpoints of certificates refuse. */
import assert from "node:assert/strict";
import { add, CERTS, issue, listed, made } from "../../support/certificates.ts";
import { denied, invalid, type Refusal, testRefusals } from "../../support/refusals.ts";
import { newKey, publicKeyPem } from "../../../packages/x509/test/support/keys.ts";

const V1 = "/v1/certificates";
const root = issue({ subject: { CN: "Root" }, authority: true });
const leaf = issue({ subject: { CN: "leaf.example.org" }, issuer: root, days: 3650 });
const other = issue({ key: newKey("ed25519"), subject: { CN: "other" } });
const ended = made({ from: "20100101000000Z", to: "20110101000000Z" });

const page = "p: expected an integer: a page from 1, or below 0 for everything";
const queries: [query: string, error: string][] = [
  ["mode=full", "mode: expected detailed"],
  ["filter=all", "filter: expected omit or with_pk or without_pk"],
  ["mode=detailed&filter=with_pk&has_private=false", "has_private: contradicts filter"],
  ["p=one", page],
  ["p=1.5", page],
  ["status=old", "status: expected valid or expiring or expired or not_yet_valid or invalid"],
  ["sort=name", "sort: expected date_added or not_after or subject_cn"],
  ["direction=up", "direction: expected asc or desc"],
  ["is_ca=yes", "is_ca: expected true or false"],
  ["has_private=1", "has_private: expected true or false"],
  ["q=ab", "q: expected 3 to 200 characters, none of them a control character"],
  [
    "expires_before=soon",
    "expires_before: expected an RFC 3339 time such as 2026-01-31T09:00:00Z",
  ],
];

/** Uploads that can't be taken, and why. */
const uploads: [name: string, body: string, message: string][] = [
  ["nothing", "", "The upload is empty."],
  ["a blank", " \n", "The upload is empty."],
  ["JSON", "{}", "The upload is not PEM: it has no line -----BEGIN CERTIFICATE-----."],
  [
    "one that ended",
    ended,
    "The certificate has expired: it was valid until 2011-01-01T00:00:00Z.",
  ],
  ["two keys", leaf.key + leaf.certificate + other.key, "The upload has more than one key."],
  ["a key alone", leaf.key, "The upload has no certificate."],
  [
    "a public key and a certificate",
    publicKeyPem(leaf.key) + leaf.certificate,
    "A public key must be uploaded without anything else.",
  ],
];

testRefusals("certificates", async (desk) => {
  assert.deepEqual(await listed(desk), { cert_basics: [], pages: 0 });
  const part = (name: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"; filename="f"\r\n\r\nx\r\n`;
  const text = (name: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\nx\r\n`;
  const passphrase = `${text("passphrase")}--b--\r\n`;
  const form = (name: string, body: string, boundary = "; boundary=b"): Refusal => ({
    name: `form: ${name}`,
    call: ["POST", CERTS, body],
    headers: { "content-type": `multipart/form-data${boundary}` },
    code: "malformed_body",
    errors: ["body: is no multipart form"],
  });
  const rows = [
    ...queries.map(([query, error]) => invalid(query, ["GET", `${CERTS}?${query}`], error)),
    invalid("a form of export", ["GET", `${CERTS}/export?format=der`], EXPORTS),
    invalid("v1: a limit of 101", ["GET", `${V1}?limit=101`], LIMIT),
    invalid(
      "v1: no number of days",
      ["GET", `${V1}?expires_within=x`],
      "expires_within: expected a number of days from 0 to 36500",
    ),
    invalid(
      "v1: a status",
      ["GET", `${V1}?status=broken`],
      "status: expected valid or expiring or expired or not_yet_valid or invalid",
    ),
    invalid(
      "v1: two letters",
      ["GET", `${V1}?q=ab`],
      "q: expected 3 to 200 characters, none of them a control character",
    ),
    invalid("v1: a way to upload", ["POST", `${V1}?as=x`, "x"], "as: expected one or each"),
    ...uploads.map(([name, body, message]): Refusal => ({
      name,
      call: ["POST", CERTS, body],
      code: "invalid_input",
      message,
    })),
    form("no form", "no form at all"),
    form("no end", part("a")),
    form("a part without a name", "--b\r\n\r\nx\r\n--b--\r\n"),
    form("no boundary", "x", ""),
    {
      ...form("two files", `${part("a")}${part("b")}--b--\r\n`),
      code: "invalid_input",
      errors: ["body: expected one file, and found several"],
    } as const,
    ...[
      [
        "a text that nothing reads",
        `${part("a")}${text("tag")}--b--\r\n`,
        'unknown field "tag"; there is "passphrase"',
      ],
      [
        "a misspelt one",
        `${part("a")}${text("pasphrase")}--b--\r\n`,
        'unknown field "pasphrase"; did you mean "passphrase"?',
      ],
      [
        "one of the query",
        `${part("a")}${text("as")}--b--\r\n`,
        'unknown field "as"; it belongs in the query',
      ],
      [
        "two passphrases",
        `${part("a")}${text("passphrase")}${passphrase}`,
        'the field "passphrase" must not come more than once',
      ],
      [
        "two texts",
        `${text("data")}${text("more")}--b--\r\n`,
        'unknown field "more"; there is "passphrase"',
      ],
    ].map(([name = "", body = "", error = ""]): Refusal => ({
      ...form(`v1: ${name}`, body),
      call: ["POST", V1, body],
      code: "invalid_input",
      errors: [error],
      message: error,
    })),
    {
      ...form("no file", passphrase),
      code: "invalid_input",
      errors: ["body: expected a file in the form"],
    } as const,
  ];
  return { rows, unchanged: () => listed(desk) };
});

const EXPORTS = "format: expected pem or csv or jsonl";
const LIMIT = "limit: expected a number from 1 to 100";

testRefusals("a certificate that is there", async (desk) => {
  const id = await add(desk, leaf.certificate);
  const exists = (name: string, body: string): Refusal => ({
    name,
    call: ["POST", CERTS, body],
    code: "certificate_exists",
    message: `Could not create certificate. Certificate with ${id} ID already exists.`,
  });
  const rows = [
    exists("the same again", leaf.certificate),
    exists("the same with its issuer", leaf.certificate + root.certificate),
    {
      name: "another certificate's key",
      call: ["POST", CERTS, leaf.certificate + other.key],
      code: "invalid_input",
      message: "The private key belongs to none of the certificates.",
    } as const,
    denied(["POST", CERTS, leaf.certificate], "certs:read"),
    denied(["DELETE", `${CERTS}/${id}`], "certs:read"),
    denied(["GET", CERTS], "portal:write", "approve", "admin"),
  ];
  // Whoever may not change them reads them.
  const credential = await desk.token(["certs:read"]);
  return { rows, unchanged: () => listed(desk, "", { credential }) };
});
