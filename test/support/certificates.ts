import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { z } from "zod";
import type { certificateDetails } from "../../src/features/certificates/certificates.contract.ts";
import {
  BASIC_CONSTRAINTS,
  der,
  extension,
  integer,
  nameOf,
  oddCertificate,
  pemOf,
  sequence,
  SUBJECT_ALTERNATIVE_NAME,
  utf8,
} from "../../packages/x509/test/support/der.ts";
import type { SendInit, TestDesk } from "./desk.ts";

/** All members. */
export type Details = z.output<typeof certificateDetails>;

/** Where certificates live. */
export const CERTS = "/api/certs";

/** What a made certificate shall say; times as YYYYMMDDHHMMSSZ. */
export interface Made {
  cn?: string;
  dns?: string[];
  from?: string;
  to?: string;
  ca?: boolean;
  serial?: string;
}

/** A certificate as PEM, made in a moment; nobody has its private key. */
export function made(wanted: Made = {}): string {
  const { cn = "made", dns = [], from = "20200101000000Z", to = "20450101000000Z" } = wanted;
  const names = dns.map((name) => der(0x82, name));
  return pemOf(oddCertificate({
    subject: nameOf(utf8(cn)),
    notBefore: der(0x18, from),
    notAfter: der(0x18, to),
    serial: integer(wanted.serial ?? "01"),
    extensions: [
      ...names.length > 0 ? [extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names))] : [],
      ...wanted.ca
        ? [extension(BASIC_CONSTRAINTS, sequence(der(0x01, new Uint8Array([255]))))]
        : [],
    ],
  }));
}

/** An instant as `made` takes it. */
export function asn1Time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-T:]/g, "")}Z`;
}

/** A certificate with these settings and its key: both PEM. */
export { issue } from "../../packages/x509/test/support/issue.ts";

/** Uploads a certificate and gives its id. */
export async function add(desk: TestDesk, pem: string, init: SendInit = {}): Promise<string> {
  const response = await desk.send("POST", CERTS, { ...init, body: pem });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  assert.deepEqual(Object.keys(answer), ["id", "message", "status"]);
  return answer.id;
}

/** Adds every certificate of a bundle. */
export async function addBundle(desk: TestDesk, pem: string, init: SendInit = {}) {
  const response = await desk.send("POST", `${CERTS}/bundle`, { ...init, body: pem });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

/** A page of the list with every detail; `query` without its question mark. */
export async function listed(
  desk: TestDesk,
  query = "",
  init: SendInit = {},
): Promise<{ cert_basics: Details[]; pages: number; capped?: true }> {
  const response = await desk.send("GET", `${CERTS}?mode=detailed&${query}`, init);
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

/** A multipart form with a file under this field's name. */
export function form(
  file: string | Uint8Array,
  options: { field?: string; passphrase?: string } = {},
): SendInit {
  const boundary = "----a-boundary";
  const parts = [
    ...options.passphrase === undefined ? [] : [
      `--${boundary}\r\ncontent-disposition: form-data; name="passphrase"\r\n\r\n${options.passphrase}\r\n`,
    ],
    `--${boundary}\r\ncontent-disposition: form-data; name="${
      options.field ?? "data"
    }"; filename="c.pem"\r\ncontent-type: application/octet-stream\r\n\r\n`,
    file,
    `\r\n--${boundary}--\r\n`,
  ];
  return {
    body: new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part)))),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}
