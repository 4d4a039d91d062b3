import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Endpoint } from "../contract/endpoint.ts";
import { version } from "../kernel/version.ts";
import { type Edition, toOpenApi } from "./openapi.ts";

/** The documents by the names of their files, under which they are served too. */
const EDITIONS: Readonly<Record<string, Edition>> = {
  "openapi.json": "3.2",
  "openapi-3.1.json": "3.1",
};

/**
 * Both documents as files by their names: as they are, and in each encoding in which they are sent.
 * Takes the thread some half a second, and four seconds more where `isTight`, which makes brotli a
 * twelfth smaller: a build has that time.
 */
export function packedDocuments(
  endpoints: readonly Endpoint[],
  { isTight = false } = {},
): Map<string, Uint8Array> {
  const brotli = {
    params: {
      // bench/notes/compression.md measures both.
      [constants.BROTLI_PARAM_QUALITY]: isTight ? 11 : 9,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  };
  const files = new Map<string, Uint8Array>();
  for (const [name, edition] of Object.entries(EDITIONS)) {
    const bytes = new TextEncoder().encode(
      JSON.stringify(toOpenApi(endpoints, version, edition)),
    );
    files.set(name, bytes);
    files.set(`${name}.br`, brotliCompressSync(bytes, brotli));
    files.set(`${name}.gz`, gzipSync(bytes, { level: 9 }));
  }
  return files;
}
