import { basename, join } from "node:path";
import { cutDocuments } from "./cut-documents.ts";
import { isObject } from "./extended-json.ts";
import { documentOfRecord, kindOfRecord } from "./redis-records.ts";
import {
  type Kind,
  type Members,
  type Source,
  type SourceDocument,
  SourceUnusable,
} from "./source.ts";

/** What a file may hold, by its name without `.json`, `.jsonl`, `.ndjson` and `.gz`, and before that. */
const NAMES: Readonly<Record<string, Kind | "redis">> = {
  tyk_policies: "plan",
  policies: "plan",
  plans: "plan",
  portal_configurations: "configuration",
  portal_configuration: "configuration",
  configuration: "configuration",
  portal_catalogue: "catalogue",
  catalogue: "catalogue",
  portal_documentation: "documentation",
  documentation: "documentation",
  portal_developers: "developer",
  developers: "developer",
  portal_key_requests: "request",
  key_requests: "request",
  requests: "request",
  keys: "key",
  certificates: "certificate",
  redis: "redis",
};

const OF_REDIS: readonly Kind[] = ["certificate", "client", "key"];

interface ExportFile {
  path: string;
  kind: Kind | "redis" | "pem";
}

/**
 * Export files: one, or a folder of them. A file's name says what it holds: the collection's (`portal_developers`,
 * also `tyk_analytics.portal_developers`), `keys` (lines with `key_hash` or `key` and `data`), or `redis` (lines with
 * `key` and `value`); `.pem` is a certificate. Throws SourceUnusable where there is none, naming what is expected.
 */
export async function openExportFiles(path: string): Promise<Source> {
  const { files, ignored } = await filesAt(path);
  if (files.length === 0) {
    throw new SourceUnusable(
      `${path}: no export file is here; expected names such as ${
        Object.keys(NAMES).join(", ")
      }, each with .json, .jsonl or .gz, and .pem`,
    );
  }
  const kinds = new Set(
    files.flatMap(({ kind }): readonly Kind[] =>
      kind === "redis" ? OF_REDIS : [kind === "pem" ? "certificate" : kind]
    ),
  );
  return {
    name: ignored.length === 0 ? path : `${path} (without ${ignored.join(", ")})`,
    kinds,
    documents: (kind) => documentsOf(files, kind),
    close: () => Promise.resolve(),
  };
}

async function filesAt(path: string): Promise<{ files: ExportFile[]; ignored: string[] }> {
  const { isDirectory } = await stat(path);
  const names = isDirectory ? await namesIn(path) : [""];
  const files: ExportFile[] = [];
  const ignored: string[] = [];
  for (const name of names) {
    const whole = name === "" ? path : join(path, name);
    const kind = kindOfFile(basename(whole));
    if (kind) files.push({ path: whole, kind });
    else ignored.push(basename(whole));
  }
  return { files, ignored };
}

async function stat(path: string): Promise<Deno.FileInfo> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new SourceUnusable(`${path}: there is no such file or folder`);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    if (!entry.isDirectory && !entry.name.startsWith(".")) names.push(entry.name);
  }
  return names.sort();
}

function kindOfFile(name: string): ExportFile["kind"] | undefined {
  const bare = name.replace(/\.gz$/i, "");
  if (/\.pem$/i.test(bare)) return "pem";
  const stem = /^(.*)\.(json|jsonl|ndjson)$/i.exec(bare)?.[1]?.toLowerCase() ?? "";
  return NAMES[stem] ?? NAMES[stem.slice(stem.lastIndexOf(".") + 1)];
}

async function* documentsOf(
  files: readonly ExportFile[],
  kind: Kind,
): AsyncGenerator<SourceDocument, void, void> {
  for (const file of files) {
    if (file.kind === "pem" && kind === "certificate") {
      const pem = await Deno.readTextFile(file.path);
      yield { place: file.path, members: { id: "", pem } };
    }
    if (file.kind === "redis" && OF_REDIS.includes(kind)) yield* recordsOf(file.path, kind);
    if (file.kind === kind) yield* objectsOf(file.path);
  }
}

/** The objects of a file; an answer of the interface (`{"Data": […]}`) is what it lists. */
async function* objectsOf(path: string): AsyncGenerator<SourceDocument, void, void> {
  for await (const cut of cutDocuments(await bytesOf(path))) {
    const place = `${path}, document ${cut.n}`;
    if ("trouble" in cut) yield { place, trouble: cut.trouble };
    else {
      const parsed = parse(cut.text);
      const listed = parsed?.Data;
      if (parsed === undefined) yield { place, trouble: "is no JSON" };
      else if (Array.isArray(listed) && "Pages" in parsed) {
        for (const [i, members] of listed.entries()) {
          if (isObject(members)) yield { place: `${place}, item ${i + 1}`, members };
        }
      } else yield { place, members: parsed };
    }
  }
}

async function* recordsOf(path: string, kind: Kind): AsyncGenerator<SourceDocument, void, void> {
  for await (const one of objectsOf(path)) {
    if ("trouble" in one) {
      // Nobody knows of which kind it is: told once.
      if (kind === OF_REDIS[0]) yield one;
      continue;
    }
    const { key, value } = one.members;
    if (typeof key !== "string" || kindOfRecord(key) !== kind) continue;
    const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
    const members = documentOfRecord(kind, key, text);
    yield typeof members === "string"
      ? { place: one.place, trouble: members }
      : { place: one.place, members };
  }
}

function parse(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function bytesOf(path: string): Promise<AsyncIterable<Uint8Array>> {
  const file = await Deno.open(path);
  // as: both streams give bytes; only the buffers that they may stand on are typed differently.
  return /\.gz$/i.test(path)
    ? file.readable.pipeThrough(
      new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>,
    )
    : file.readable;
}
