import type { RawBody } from "../contract/endpoint.ts";
import { Failure } from "../lib/failure.ts";

/** The file of an upload, and the passphrase that came with it in the form. */
export interface UploadedFile {
  bytes: Uint8Array;
  passphrase?: string;
}

/**
 * The one file of a multipart form, under whatever field name, or else the body itself. The runtime reads the
 * form; the body's size is limited already. Throws `malformed_body` and `invalid_input`.
 */
export async function uploadedFile(body: RawBody): Promise<UploadedFile> {
  if (!/^\s*multipart\/form-data\b/i.test(body.contentType)) return { bytes: body.bytes };
  const form = await readForm(body);
  const entries = [...form];
  const passphrase = form.get("passphrase");
  const given = typeof passphrase === "string" && passphrase !== "" ? { passphrase } : {};
  const files = entries.filter(([, value]) => value instanceof File);
  const [file, second] = files.map(([, value]) => value);
  if (second) throw refused("body: expected one file, and found several");
  if (file instanceof File) return { bytes: new Uint8Array(await file.arrayBuffer()), ...given };
  // Some clients send the text of the file in a plain field.
  const [text] = entries.filter(([name]) => name !== "passphrase").map(([, value]) => value);
  if (typeof text === "string") return { bytes: new TextEncoder().encode(text), ...given };
  throw refused("body: expected a file in the form");
}

async function readForm({ bytes, contentType }: RawBody): Promise<FormData> {
  try {
    const headers = { "content-type": contentType };
    return await new Response(new Uint8Array(bytes), { headers }).formData();
  } catch {
    throw new Failure("malformed_body", { details: ["body: is no multipart form"] });
  }
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
