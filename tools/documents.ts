import { join } from "node:path";
import type { Endpoint } from "../src/contract/endpoint.ts";
import { writtenDocuments } from "../src/reference/written-documents.ts";
import { writeWhole } from "./whole-file.ts";

/**
 * Writes the OpenAPI documents as a server sends them, and gives the files' names. It reads them
 * with the first call.
 */
export function writeDocuments(folder: string, endpoints: readonly Endpoint[]): string[] {
  const files = writtenDocuments(endpoints);
  for (const [name, bytes] of files) writeWhole(join(folder, name), bytes);
  return [...files.keys()];
}
