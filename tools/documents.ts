import { join } from "node:path";
import type { Endpoint } from "../src/contract/endpoint.ts";
import { packedDocuments } from "../src/reference/packed-documents.ts";
import { writeWhole } from "./whole-file.ts";

/**
 * Writes the OpenAPI documents as a server sends them, packed, and gives the files' names. It reads
 * them with the first call.
 */
export function writeDocuments(folder: string, endpoints: readonly Endpoint[]): string[] {
  const files = packedDocuments(endpoints, { isTight: true });
  for (const [name, bytes] of files) writeWhole(join(folder, name), bytes);
  return [...files.keys()];
}
