import { Buffer } from "node:buffer";
import { join } from "node:path";
import * as uploads from "../certificates/certificate-uploads.service.ts";
import * as service from "../certificates/certificates.service.ts";
import type { ExportFormat } from "../certificates/export.ts";
import type { RequestContext } from "../context.ts";
import { Failure } from "../lib/failure.ts";
import { type NarrowingOptions, toQuery } from "./certs-query.ts";
import { asOperator } from "./certs-context.ts";
import { OperatorError } from "./operator-error.ts";
import { print } from "./standard-output.ts";
import { ProgressBar } from "./progress-bar.ts";

/** A larger file is no bundle of certificates. */
const LARGEST_FILE = 256 * 1024 * 1024;

interface Summary {
  files: number;
  added: number;
  key_added: number;
  exists: number;
  refused: number;
}

/** `keydesk certs import`. Throws OperatorError when anything was refused, after everything else is in. */
export async function importFiles(
  paths: readonly string[],
  options: { passphraseFile?: string; json?: boolean },
): Promise<void> {
  await asOperator(async (ctx) => {
    const files: File[] = [];
    for (const path of paths) files.push(...await filesAt(path));
    const passphrase = options.passphraseFile === undefined
      ? undefined
      : (await readFile(options.passphraseFile, text)).replace(/\r?\n$/, "");
    const summary: Summary = { files: files.length, added: 0, key_added: 0, exists: 0, refused: 0 };
    const bar = new ProgressBar(files.reduce((sum, file) => sum + file.size, 0));
    for (const file of files) {
      for await (const { result, place, message } of importFile(ctx, file, passphrase, bar)) {
        summary[result]++;
        if (result === "refused") bar.say(`${file.path}${place}: ${message}`);
      }
    }
    bar.end();
    report(summary, options.json ?? false);
    if (summary.refused > 0) {
      throw new OperatorError(`${summary.refused} refused, see above; all else is kept`);
    }
  });
}

/** `keydesk certs export`. */
export async function exportFile(
  file: string | undefined,
  options: NarrowingOptions & { format: ExportFormat },
): Promise<void> {
  await asOperator(async (ctx) => {
    const query = toQuery(options, ctx.clock.now());
    const { pieces } = service.exportAll(ctx, options.format, query);
    if (file === undefined) {
      for await (const piece of pieces) await print(piece);
      return;
    }
    const draft = `${file}.partial`;
    try {
      using out = await Deno.open(draft, { write: true, create: true, truncate: true });
      for await (const piece of pieces) {
        const bytes = new TextEncoder().encode(piece);
        for (let done = 0; done < bytes.length;) done += await out.write(bytes.subarray(done));
      }
      await out.sync();
    } catch (error) {
      throw fileError(file, error);
    }
    await Deno.rename(draft, file);
  });
}

/** `keydesk certs rm`. */
export async function removeCertificates(ids: readonly string[]): Promise<void> {
  await asOperator(async (ctx) => {
    let missing = 0;
    for (const word of ids) {
      const id = /^[0-9a-f]{64}$/.test(word) ? ctx.principal.org_id + word : word;
      try {
        await service.remove(ctx, id);
        console.error(`Certificate ${id} is deleted.`);
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== "certificate_not_removed") throw error;
        console.error(`${word}: there is no such certificate`);
        missing++;
      }
    }
    if (missing > 0) throw new OperatorError(`${missing} of ${ids.length} not found`);
  });
}

interface File {
  path: string;
  size: number;
}

/** The file itself, or the files of a folder and its folders, by name; hidden ones are left out. */
async function filesAt(path: string): Promise<File[]> {
  try {
    const { isDirectory, size } = await Deno.stat(path);
    if (!isDirectory) return [{ path, size }];
    const names: string[] = [];
    for await (const entry of Deno.readDir(path)) {
      if (!entry.name.startsWith(".")) names.push(entry.name);
    }
    const found: File[] = [];
    for (const name of names.sort()) found.push(...await filesAt(join(path, name)));
    return found;
  } catch (error) {
    throw error instanceof OperatorError ? error : fileError(path, error);
  }
}

interface Outcome {
  result: Exclude<keyof Summary, "files">;
  /** `:` and the line in the file, where it is known. */
  place: string;
  message: string;
}

async function* importFile(
  ctx: RequestContext,
  file: File,
  passphrase: string | undefined,
  bar: ProgressBar,
): AsyncGenerator<Outcome, void, void> {
  if (file.size > LARGEST_FILE) {
    return yield { result: "refused", place: "", message: "is larger than 256 MiB" };
  }
  const bytes = await readFile(file.path, (path) => Deno.readFile(path));
  if (isOneCertificate(bytes)) {
    yield await importOne(ctx, bytes, passphrase);
    return bar.add(file.size);
  }
  // Progress by the share of the file's certificates, of which each begins with the same words.
  const each = file.size / Math.max(1, countOf(bytes));
  for await (const { result, line, message = "" } of uploads.addBundle(ctx, bytes)) {
    bar.add(each);
    yield { result, place: line === undefined ? "" : `:${line}`, message };
  }
}

async function importOne(
  ctx: RequestContext,
  bytes: Uint8Array,
  passphrase: string | undefined,
): Promise<Outcome> {
  try {
    const entry = await uploads.readOne(ctx, bytes, { passphrase, allowExpired: true });
    const [result = "exists"] = await uploads.add(ctx, [entry]);
    return { result, place: "", message: "" };
  } catch (error) {
    if (!(error instanceof Failure) || error.code === "unavailable" || error.code === "internal") {
      throw error;
    }
    return { result: "refused", place: "", message: error.message };
  }
}

/** A key makes a file one certificate with its chain, and so does what is no PEM at all (PKCS#12). */
function isOneCertificate(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  const pem = Buffer.from(buffer, byteOffset, length);
  return /PRIVATE ?KEY-----|PUBLIC ?KEY-----/.test(pem.toString("latin1")) || bytes[0] === 0x30;
}

function countOf(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let count = 0;
  for (let at = text.indexOf("-----BEGIN"); at >= 0; at = text.indexOf("-----BEGIN", at + 1)) {
    count++;
  }
  return count;
}

async function readFile<T>(path: string, read: (path: string) => Promise<T>): Promise<T> {
  try {
    return await read(path);
  } catch (error) {
    throw fileError(path, error);
  }
}

function text(path: string): Promise<string> {
  return Deno.readTextFile(path);
}

function fileError(path: string, error: unknown): unknown {
  if (error instanceof Deno.errors.NotFound) {
    return new OperatorError(`${path}: there is no such file`);
  }
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return new OperatorError(`${path}: may not be read or written`);
  }
  return error;
}

function report(summary: Summary, json: boolean): void {
  if (json) return console.log(JSON.stringify(summary));
  const { files, added, key_added, exists, refused } = summary;
  const keys = key_added > 0 ? `, ${key_added} given their key` : "";
  console.log(
    `${files} ${
      files === 1 ? "file" : "files"
    }: ${added} added${keys}, ${exists} known already, ${refused} refused`,
  );
}
