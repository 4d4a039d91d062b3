import { Buffer } from "node:buffer";
import type { RawBody } from "../../contract/endpoint.ts";
import { Failure } from "../../kernel/failure.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import { boundaryOf, type FormPart, formParts } from "./form-parts.ts";

/** The file of an upload, and the passphrase that came with it in the form. */
interface UploadedFile {
  bytes: Uint8Array;
  passphrase?: string;
  /** The names of the form's fields that nothing reads, in their order. */
  unread: string[];
}

/**
 * The one file of a multipart form, under whatever field name, or else the body itself. However
 * many parts a form has, others have their turns meanwhile. Throws `malformed_body` and
 * `invalid_input`.
 */
export async function uploadedFile(body: RawBody): Promise<UploadedFile> {
  const boundary = boundaryOf(body.contentType);
  if (boundary === undefined) return { bytes: body.bytes, unread: [] };
  let file: FormPart | undefined;
  let passphrase: FormPart | undefined;
  const others: FormPart[] = [];
  const slices = new TimeSlices();
  for (const part of formParts(body.bytes, boundary)) {
    if (part.isFile && file) throw refused("body: expected one file, and found several");
    if (part.isFile) file = part;
    else if (part.name === "passphrase" && !passphrase) passphrase = part;
    else others.push(part);
    await slices.pause();
  }
  // Some clients send the text of the file in a plain field.
  const chosen = file ?? others.find(({ name }) => name !== "passphrase");
  if (!chosen) throw refused("body: expected a file in the form");
  const given = new TextDecoder().decode(passphrase?.bytes);
  const unread = others.filter((part) => part !== chosen).map(({ name }) => name);
  return { bytes: chosen.bytes, ...given === "" ? {} : { passphrase: given }, unread };
}

/**
 * A passphrase that came in a header: its bytes as UTF-8 where they are that, else as Latin-1. The
 * wire gives each byte as one character.
 */
export function passphraseOf(header: string | null): string | null {
  if (header === null || /[\u0100-\u{10ffff}]/u.test(header)) return header;
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
