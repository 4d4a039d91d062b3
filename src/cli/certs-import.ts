import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { RequestContext } from "../calls/context.ts";
import * as uploads from "../features/certificates/certificate-uploads.service.ts";
import { asOperator } from "./as-operator.ts";
import { counted } from "./counted.ts";
import { type Form, printValues } from "./forms.ts";
import { fileProblem, OperatorError } from "./operator-error.ts";
import { ProgressBar } from "./progress-bar.ts";
import { terminal } from "./terminal.ts";

/** A larger file is no bundle of certificates. */
const LARGEST_FILE = 256 * 1024 * 1024;

interface Summary {
  files: number;
  added: number;
  key_added: number;
  exists: number;
  refused: number;
  skipped: number;
}

/** `keydesk certs import`. Throws OperatorError where any was refused, after the others are in. */
export async function importFiles(
  paths: readonly string[],
  options: { passphraseFile?: string; takeOver: boolean; form?: Form },
): Promise<void> {
  await asOperator(async (ctx) => {
    const found: Found[] = [];
    for (const path of paths) found.push(...await filesAt(path));
    const passphrase = options.passphraseFile === undefined
      ? undefined
      : await passphraseOf(options.passphraseFile);
    const files = found.filter(({ problem }) => problem === undefined).length;
    const summary: Summary = { files, added: 0, key_added: 0, exists: 0, refused: 0, skipped: 0 };
    const bar = new ProgressBar(found.reduce((sum, file) => sum + file.size, 0));
    // Small files share transactions: a commit for each would take most of the time.
    const reads = readAll(ctx, found, passphrase);
    for await (const { read, result } of uploads.addAll(ctx, reads, options.takeOver)) {
      bar.add(read.size);
      summary[result]++;
      if (!read.ok) bar.say(`${read.place}: ${read.message}`);
    }
    bar.end();
    await report(summary, options.form);
    if (summary.refused > 0) {
      throw new OperatorError(`${summary.refused} refused, see above; all else is kept`);
    }
  });
}

/** A file, or something that can't be one and why. */
interface Found {
  path: string;
  size: number;
  problem?: string;
}

/**
 * The file itself, or the files of a folder and its folders, by name; hidden ones are left out, and
 * so are folders that are links. Throws OperatorError where there is nothing at the path itself.
 */
async function filesAt(path: string): Promise<Found[]> {
  try {
    const { isDirectory } = await Deno.stat(path);
    return isDirectory ? await filesIn(path) : [await fileAt(path)];
  } catch (error) {
    throw named(path, error);
  }
}

async function filesIn(folder: string): Promise<Found[]> {
  const entries: Deno.DirEntry[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (!entry.name.startsWith(".")) entries.push(entry);
    }
  } catch (error) {
    return [troubled(folder, error)];
  }
  const found: Found[] = [];
  for (const { name, isDirectory, isSymlink } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    const path = join(folder, name);
    if (isDirectory) found.push(...await filesIn(path));
    else {
      const file = await fileAt(path).catch((error) => troubled(path, error));
      // A link to a folder could lead round in a circle; what it holds has a place of its own.
      if (!isSymlink || file.problem !== NO_FILE) found.push(file);
    }
  }
  return found;
}

const NO_FILE = "is no file";

async function fileAt(path: string): Promise<Found> {
  const { isFile, isFifo, size } = await Deno.stat(path);
  return isFile || isFifo ? { path, size } : { path, size: 0, problem: NO_FILE };
}

function troubled(path: string, error: unknown): Found {
  const problem = fileProblem(error);
  if (problem === undefined) throw error;
  return { path, size: 0, problem };
}

/** The read file, with its location for people and its share of the progress. */
type FileRead = uploads.ReadResult & { place: string; size: number };

async function* readAll(
  ctx: RequestContext,
  files: readonly Found[],
  passphrase: string | undefined,
): AsyncGenerator<FileRead, void, void> {
  for (const file of files) {
    const { path, size } = file;
    const problem = file.problem ?? (size > LARGEST_FILE ? "is larger than 256 MiB" : undefined);
    const bytes = problem === undefined ? await contentOf(path) : problem;
    if (typeof bytes === "string") yield { ok: false, message: bytes, place: path, size };
    else if (await uploads.kindOfUpload(bytes) === "entries") {
      const reads = await uploads.readEntries(ctx, bytes, { passphrase });
      for (const read of reads) yield { ...read, place: path, size: size / reads.length };
    } else {
      // Progress by the share of the file's certificates, of which each begins with the same words.
      const each = size / Math.max(1, countOf(bytes));
      for await (const read of uploads.readBundle(ctx, bytes)) {
        const place = read.line === undefined ? path : `${path}:${read.line}`;
        yield { ...read, place, size: each };
      }
    }
  }
}

/** The bytes, or why there are none. */
async function contentOf(path: string): Promise<Uint8Array | string> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    const problem = fileProblem(error);
    if (problem === undefined) throw error;
    return problem;
  }
}

function countOf(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let count = 0;
  for (let at = text.indexOf("-----BEGIN"); at >= 0; at = text.indexOf("-----BEGIN", at + 1)) {
    count++;
  }
  return count;
}

async function passphraseOf(path: string): Promise<string> {
  try {
    return (await Deno.readTextFile(path)).replace(/\r?\n$/, "");
  } catch (error) {
    throw named(path, error);
  }
}

function named(path: string, error: unknown): unknown {
  const problem = fileProblem(error);
  return problem === undefined ? error : new OperatorError(`${path}: ${problem}`);
}

async function report(summary: Summary, form: Form | undefined): Promise<void> {
  if (form) return await printValues([summary], form);
  const { files, added, key_added, exists, refused, skipped } = summary;
  const other = skipped > 0 ? `, ${skipped} skipped` : "";
  const keys = key_added > 0 ? `, ${key_added} given their key` : "";
  terminal().out(
    `${
      counted(files, "file")
    }: ${added} added${keys}, ${exists} known already, ${refused} refused${other}`,
  );
}
