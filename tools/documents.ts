import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Endpoint } from "../src/contract/endpoint.ts";
import { replaced, type Replacement } from "../src/reference/replacements.ts";
import { writtenDocuments } from "../src/reference/written-documents.ts";
import { writeWhole } from "./whole-file.ts";

/**
 * Writes the OpenAPI document that generators take, 3.1, and the replacements that make a server's
 * 3.2 of it; gives the files' names. It reads them with the first call.
 */
export function writeDocuments(folder: string, endpoints: readonly Endpoint[]): string[] {
  const written = writtenDocuments(endpoints);
  const [newer, older] = ["openapi.json", "openapi-3.1.json"]
    .map((name) => Buffer.from(written.get(name) ?? "")) as [Buffer, Buffer];
  const replacements = replacementsIn(older, newer);
  if (!newer.equals(replaced(older, replacements))) {
    throw new Error("the documents differ in more than their version and their paths");
  }
  const files = {
    "openapi-3.1.json": older,
    "openapi-replacements.json": Buffer.from(JSON.stringify(replacements)),
  };
  for (const [name, bytes] of Object.entries(files)) writeWhole(join(folder, name), bytes);
  return Object.keys(files);
}

/** For the version and for each path that differs. */
function replacementsIn(older: Buffer, newer: Buffer): Replacement[] {
  const [from, to] = [older, newer].map((bytes) => membersOf(JSON.parse(bytes.toString())));
  return Object.entries(from ?? {}).flatMap(([name, member]) => {
    const text = to?.[name] ?? "";
    if (member === text) return [];
    return { at: older.indexOf(member), length: Buffer.byteLength(member), text };
  });
}

/** The version and the paths as they are written, by their names. */
function membersOf(
  { openapi, paths }: { openapi: string; paths: Record<string, unknown> },
): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ openapi, ...paths })
      .map(([name, value]) => [name, `${JSON.stringify(name)}:${JSON.stringify(value)}`]),
  );
}
