import type { Endpoint } from "../contract/endpoint.ts";
import { version } from "../kernel/version.ts";
import { type Edition, toOpenApi } from "./openapi.ts";

/** The documents by the names of their files, under which they are served too. */
const EDITIONS: Readonly<Record<string, Edition>> = {
  "openapi.json": "3.2",
  "openapi-3.1.json": "3.1",
};

/** Both documents as files by their names. Takes the thread some half a second. */
export function writtenDocuments(endpoints: readonly Endpoint[]): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const [name, edition] of Object.entries(EDITIONS)) {
    const text = JSON.stringify(toOpenApi(endpoints, version, edition));
    files.set(name, new TextEncoder().encode(text));
  }
  return files;
}
