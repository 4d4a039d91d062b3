/**
 * Writes the OpenAPI documents as a server sends them, packed, into dist/documents: `deno run -A tools/documents.ts`.
 * `npm ci` does it in a clone, by `tools/documents.js`, and so does every build of the package. A server reads them with
 * the first call.
 */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packedDocuments } from "../src/reference/packed-documents.ts";

/** Where the server of a clone looks for them. */
export const DOCUMENTS = fileURLToPath(new URL("../dist/documents", import.meta.url));

/** Writes every file, each whole or not at all, and gives their names. */
export function writeDocuments(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const files = packedDocuments();
  for (const [name, bytes] of files) {
    const path = join(folder, name);
    writeFileSync(`${path}.partial`, bytes);
    renameSync(`${path}.partial`, path);
  }
  return [...files.keys()];
}

if (import.meta.main) {
  for (const name of writeDocuments(DOCUMENTS)) console.log(`dist/documents/${name}`);
}
