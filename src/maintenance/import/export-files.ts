import { basename, join } from "node:path";
import { decrypted, NotOpened, openIdentity } from "../archive/age.ts";
import { cutDocuments } from "./cut-documents.ts";
import { isObject } from "./extended-json.ts";
import { documentOfRecord, kindOfRecord, QUOTA, withUsed } from "./redis-records.ts";
import {
  type Kind,
  type Members,
  type Source,
  type SourceDocument,
  SourceUnusable,
  type UsedQuotas,
} from "./source.ts";

/** The kinds of files, by their names up to `.json`, `.jsonl`, `.ndjson` and `.gz`. */
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
  keydesk: "rest",
};

/** The description of an export of Keydesk, and the identity that decrypts it. */
const REPORT_FILE = "export.json";
const IDENTITY_FILE = "identity.age";

const OF_REDIS: readonly Kind[] = ["certificate", "client", "key"];

interface ExportFile {
  path: string;
  kind: Kind | "redis" | "pem";
}

/** The credentials that decrypt an export. */
interface OpenedBy {
  passphrase?: string | undefined;
  identities?: readonly string[];
}

/**
 * Export files: one, or a folder of them. A file's name says what it holds: the collection's
 * (`portal_developers`, also `tyk_analytics.portal_developers`), `keys` (lines with `key_hash` or
 * `key` and `data`), or `redis` (lines with `key` and `value`); `.pem` is a certificate, and `.age`
 * behind any of them is encrypted. A folder with a file `keydesk` is an export of Keydesk. Throws
 * SourceUnusable where there is none, naming what is expected.
 */
export async function openExportFiles(path: string, opened: OpenedBy = {}): Promise<Source> {
  const { files, ignored } = await filesAt(path);
  if (files.length === 0) {
    throw new SourceUnusable(
      `${path}: no export file is here; expected names such as ${
        Object.keys(NAMES).join(", ")
      }, each with .json, .jsonl or .gz, and .pem`,
    );
  }
  const identities = await identitiesFor(path, files, opened);
  const isOwn = files.some(({ kind }) => kind === "rest");
  const by = { identities, isOwn };
  const kinds = new Set(
    files.flatMap(({ kind }): readonly Kind[] =>
      kind === "redis" ? OF_REDIS : [kind === "pem" ? "certificate" : kind]
    ),
  );
  return {
    name: ignored.length === 0 ? path : `${path} (without ${ignored.join(", ")})`,
    type: "files",
    kinds,
    expected: async (kind) => {
      let all = 0;
      for (const file of files) all += await estimated(file, kind, by);
      return Math.round(all);
    },
    documents: (kind) => documentsOf(files, kind, by),
    quotas: () => usedIn(files, by),
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
    if ([REPORT_FILE, IDENTITY_FILE].includes(basename(whole))) continue;
    if (kind) files.push({ path: whole, kind });
    else ignored.push(basename(whole));
  }
  return { files, ignored };
}

async function stat(path: string): Promise<Deno.FileInfo> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new SourceUnusable(`${path}: there is no such file or folder`);
    }
    throw unreadable(path, error);
  }
}

/** The error for a file that may not be read; every other error as it is. */
function unreadable(path: string, error: unknown): unknown {
  const { NotCapable, PermissionDenied, NotFound } = Deno.errors;
  // The launcher grants nothing for a path where nothing was when it looked.
  const isKept = [NotCapable, PermissionDenied, NotFound].some((kind) => error instanceof kind);
  return isKept ? new SourceUnusable(`${path}: is not there, or may not be read`) : error;
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (!entry.isDirectory && !entry.name.startsWith(".")) names.push(entry.name);
    }
  } catch (error) {
    throw unreadable(folder, error);
  }
  return names.sort();
}

function kindOfFile(name: string): ExportFile["kind"] | undefined {
  const bare = name.replace(/\.age$/i, "").replace(/\.gz$/i, "");
  if (/\.pem$/i.test(bare)) return "pem";
  const stem = /^(.*)\.(json|jsonl|ndjson)$/i.exec(bare)?.[1]?.toLowerCase() ?? "";
  return nameOf(stem) ?? nameOf(stem.slice(stem.lastIndexOf(".") + 1));
}

function nameOf(stem: string): ExportFile["kind"] | undefined {
  return Object.hasOwn(NAMES, stem) ? NAMES[stem] : undefined;
}

/**
 * The identities that decrypt the files of an export; none for plain files. Throws SourceUnusable.
 */
async function identitiesFor(
  path: string,
  files: readonly ExportFile[],
  { passphrase, identities = [] }: OpenedBy,
): Promise<readonly string[]> {
  if (!files.some((file) => isEncrypted(file.path))) return [];
  if (identities.length > 0) return identities;
  const file = join(path, IDENTITY_FILE);
  const locked = await Deno.readFile(file).catch(() => undefined);
  if (passphrase === undefined || locked === undefined) {
    throw new SourceUnusable(
      `${path} is encrypted: ${
        locked ? "name --passphrase-file, or " : ""
      }--identity-file with what opens it`,
    );
  }
  try {
    return await openIdentity(locked, passphrase);
  } catch (error) {
    throw error instanceof NotOpened ? new SourceUnusable(`${file}: ${error.message}`) : error;
  }
}

function isEncrypted(path: string): boolean {
  return /\.age$/i.test(path);
}

/** How the files of a source are read. */
interface ReadFiles {
  identities: readonly string[];
  /** True: it is an export of Keydesk. */
  isOwn: boolean;
}

async function* documentsOf(
  files: readonly ExportFile[],
  kind: Kind,
  by: ReadFiles,
): AsyncGenerator<SourceDocument, void, void> {
  const used = kind === "key" ? await usedIn(files, by) : NONE_USED;
  for (const file of files) {
    if (file.kind === "pem" && kind === "certificate") {
      yield { place: file.path, ...await pemIn(bytesOf(file.path, by.identities)) };
    }
    if (file.kind === "redis" && OF_REDIS.includes(kind)) {
      yield* recordsIn(file.path, kind, { ...by, used }, bytesOf(file.path, by.identities));
    }
    if (file.kind === kind) {
      const objects = objectsIn(file.path, by, bytesOf(file.path, by.identities));
      yield* kind === "plan" ? plansAmong(objects) : objects;
    }
  }
}

/** A longer file of certificates is none. */
const LONGEST_PEM = 1024 * 1024;

async function pemIn(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ members: Members } | { problem: string }> {
  const utf8 = new TextDecoder();
  let pem = "";
  for await (const piece of bytes) {
    pem += utf8.decode(piece, { stream: true });
    if (pem.length > LONGEST_PEM) return { problem: "is larger than 1 MiB" };
  }
  return { members: { id: "", pem } };
}

/** So much of a file says how many documents all of it has. */
const SAMPLE = 256 * 1024;

/** About how many documents of a kind a file has, by what its beginning holds. */
async function estimated(file: ExportFile, kind: Kind, by: ReadFiles): Promise<number> {
  if (file.kind === "pem") return kind === "certificate" ? 1 : 0;
  const isRedis = file.kind === "redis" && OF_REDIS.includes(kind);
  if (file.kind !== kind && !isRedis) return 0;
  const { size } = await Deno.stat(file.path);
  let taken = 0;
  let n = 0;
  const sample = beginningOf(file.path, by.identities, (bytes) => taken = bytes);
  try {
    for await (
      const one of isRedis
        ? recordsIn(file.path, kind, { ...by, used: NONE_USED }, sample)
        : objectsIn(file.path, by, sample)
    ) {
      if (!("problem" in one)) n++;
    }
  } catch {
    // A compressed file ends in the middle of a block.
  }
  return taken === 0 ? 0 : n * Math.max(1, size / taken);
}

/**
 * The first bytes of a file as they are in it, or decompressed; `taken` hears how many were read of
 * it.
 */
async function* beginningOf(
  path: string,
  identities: readonly string[],
  taken: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  using file = await Deno.open(path);
  const bytes = new Uint8Array(SAMPLE);
  let length = 0;
  while (length < SAMPLE) {
    const n = await file.read(bytes.subarray(length));
    if (n === null) break;
    length += n;
  }
  taken(length);
  const sample = new Blob([bytes.subarray(0, length)]).stream();
  const plain = isEncrypted(path) ? await decrypted(sample, identities) : sample;
  // as: as in streamOf.
  yield* isCompressed(path)
    ? plain.pipeThrough(
      new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>,
    )
    : plain;
}

/** The objects of a file; an answer of the interface (`{"Data": […]}`) is what it lists. */
async function* objectsIn(
  path: string,
  { isOwn }: Pick<ReadFiles, "isOwn">,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<SourceDocument, void, void> {
  const { pieces, listed } = await answerOrNot(bytes);
  for await (const cut of cutDocuments(pieces, { listed })) {
    const place = `${path}, ${listed ? "item" : "document"} ${cut.n}`;
    const parsed = "text" in cut ? parse(cut.text) : undefined;
    if ("problem" in cut) yield { place, problem: cut.problem };
    else if (parsed === undefined) yield { place, problem: "is no JSON" };
    else if (Array.isArray(parsed.Data) && "Pages" in parsed) {
      for (const [i, members] of parsed.Data.entries()) {
        if (isObject(members)) yield { place: `${place}, item ${i + 1}`, members };
      }
    } else yield { place, members: parsed, isOwn };
  }
}

/** The pieces of a file, and whether it holds answers of the interface, as their beginning says. */
async function answerOrNot(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ pieces: AsyncIterable<Uint8Array>; listed: boolean }> {
  const steps = bytes[Symbol.asyncIterator]();
  const first = await steps.next();
  const text = first.done ? "" : new TextDecoder().decode(first.value.subarray(0, 256));
  async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (let step = first; !step.done; step = await steps.next()) yield step.value;
    } finally {
      await steps.return?.();
    }
  }
  return { pieces: pieces(), listed: /^\s*\{\s*"Data"\s*:/.test(text) };
}

const NONE_USED: UsedQuotas = new Map();

/**
 * The used quotas in these files by a gateway's records: they may be behind the keys or in another
 * file, so all are read twice. Of one record in several files the first counts.
 */
async function usedIn(files: readonly ExportFile[], by: ReadFiles): Promise<UsedQuotas> {
  const found = new Map<string, { used?: number }>();
  // An export of Keydesk carries what is used in rows of its own.
  for (const { path, kind } of by.isOwn ? [] : files) {
    if (kind !== "redis") continue;
    for await (const one of objectsIn(path, by, bytesOf(path, by.identities))) {
      const { key, value } = "members" in one ? one.members : {};
      const name = typeof key === "string" && key.startsWith(QUOTA) ? key.slice(QUOTA.length) : "";
      if (name !== "" && !found.has(name)) found.set(name, withUsed(value));
    }
  }
  return found;
}

async function* recordsIn(
  path: string,
  kind: Kind,
  by: ReadFiles & { used: UsedQuotas },
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<SourceDocument, void, void> {
  for await (const one of objectsIn(path, by, bytes)) {
    if (!("members" in one)) {
      // Its kind is unknown: reported once.
      if (kind === OF_REDIS[0]) yield one;
      continue;
    }
    const { key, value, keydesk } = one.members;
    if (typeof key !== "string" || kindOfRecord(key) !== kind) continue;
    const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
    const members = documentOfRecord(kind, key, text);
    if (typeof members === "string") yield { place: one.place, problem: members };
    else {
      const used = kind === "key" ? by.used.get(String(members.name)) : undefined;
      yield { ...one, members: { ...members, ...used, ...by.isOwn ? { keydesk } : {} } };
    }
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

async function* bytesOf(
  path: string,
  identities: readonly string[],
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* await streamOf(path, identities);
  } catch (error) {
    if (error instanceof NotOpened) throw new SourceUnusable(`${path}: ${error.message}`);
    const problem = unreadable(path, error);
    if (problem !== error || (!isEncrypted(path) && !isCompressed(path))) throw problem;
    throw new SourceUnusable(`${path}: is damaged or cut short`, { cause: error });
  }
}

async function streamOf(
  path: string,
  identities: readonly string[],
): Promise<AsyncIterable<Uint8Array>> {
  const file = await Deno.open(path);
  const plain = isEncrypted(path) ? await decrypted(file.readable, identities) : file.readable;
  // as: both streams give bytes; only the buffers that they may stand on are typed differently.
  return isCompressed(path)
    ? plain.pipeThrough(
      new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>,
    )
    : plain;
}

function isCompressed(path: string): boolean {
  return /\.gz$/i.test(path.replace(/\.age$/i, ""));
}

/** Plans, each by itself: the open-source gateway's file has them in one object, by their ids. */
async function* plansAmong(
  documents: AsyncIterable<SourceDocument>,
): AsyncGenerator<SourceDocument, void, void> {
  for await (const document of documents) {
    const entries = "members" in document ? Object.entries(document.members) : [];
    const isMap = entries.length > 0 && entries.every(([, one]) => isPlan(one));
    if (!isMap) yield document;
    else {
      for (const [i, [id, one]] of entries.entries()) {
        const members = { ...isObject(one) ? one : {} };
        if (!members.id) members.id = id;
        yield { place: `${document.place}, item ${i + 1}`, members };
      }
    }
  }
}

/**
 * Whether a member of a document is a plan, so that the document is a map of them: no plan has one
 * in it.
 */
function isPlan(value: unknown): boolean {
  return isObject(value) && ["rate", "quota_max", "access_rights"].some((name) => name in value);
}
