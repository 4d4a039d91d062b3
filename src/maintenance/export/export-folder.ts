import { join } from "node:path";
import { bytesOf, encrypted, lockedIdentity, newPair } from "../archive/age.ts";
import { type ExportFile, exportFiles } from "./organisation-documents.ts";
import type { Shaped } from "./original-shapes.ts";

/** The plain file that describes an export. */
export const REPORT_FILE = "export.json";
/** The identity that opens an export, which a passphrase opens. */
const IDENTITY_FILE = "identity.age";

/** To whom the files of an export are encrypted; undefined: to no one, they are plain. */
export type Encryption =
  | { passphrase: string; effort?: number }
  | { recipients: readonly string[] }
  | undefined;

/** Of the key derivation for a passphrase; what age takes by itself. */
const EFFORT = 18;

/** Bytes of a file that are gathered before they are written. */
const GATHERED = 64 * 1024;

/**
 * A folder that is written under another name, `.partial` added, until it is whole. Only its owner
 * may read it. A broken-off folder is left under that other name, or not at all.
 */
export class ExportFolder {
  readonly #files = new Map<ExportFile, ExportedFile>();

  private constructor(
    readonly path: string,
    readonly draft: string,
    readonly recipients: readonly string[],
  ) {}

  /** Throws AlreadyExists where the folder or its draft is there. */
  static async begin(path: string, encryption: Encryption): Promise<ExportFolder> {
    if (await isThere(path)) throw new Deno.errors.AlreadyExists(path);
    const draft = `${path}.partial`;
    await Deno.mkdir(draft, { mode: 0o700 });
    try {
      if (encryption === undefined) return new ExportFolder(path, draft, []);
      if ("recipients" in encryption) return new ExportFolder(path, draft, encryption.recipients);
      const { identity, recipient } = await newPair();
      const { passphrase, effort = EFFORT } = encryption;
      const locked = await lockedIdentity(identity, passphrase, effort);
      await writeWhole(join(draft, IDENTITY_FILE), locked);
      return new ExportFolder(path, draft, [recipient]);
    } catch (error) {
      await Deno.remove(draft, { recursive: true });
      throw error;
    }
  }

  /** Adds a line to a file. */
  async write(file: ExportFile, document: Shaped): Promise<void> {
    const known = this.#files.get(file);
    if (known) return await known.write(document);
    const ending = this.recipients.length > 0 ? ".age" : "";
    const path = join(this.draft, `${exportFiles[file]}${ending}`);
    const made = await ExportedFile.begin(path, this.recipients);
    this.#files.set(file, made);
    await made.write(document);
  }

  /**
   * Ends every file, then the report, and gives the folder its name. Throws AlreadyExists where
   * that is taken.
   */
  async end(report: Shaped): Promise<void> {
    const files: Record<string, { documents: number }> = {};
    for (const [name, file] of this.#files) {
      files[exportFiles[name]] = { documents: file.documents };
      await file.end();
    }
    const text = `${JSON.stringify({ ...report, files }, null, 2)}\n`;
    await writeWhole(join(this.draft, REPORT_FILE), bytesOf(text));
    if (await isThere(this.path)) throw new Deno.errors.AlreadyExists(this.path);
    await Deno.rename(this.draft, this.path);
  }

  /** Removes what was written. */
  async giveUp(): Promise<void> {
    for (const file of this.#files.values()) await file.giveUp();
    await Deno.remove(this.draft, { recursive: true });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  try {
    await writeAll(file, bytes);
    await file.sync();
  } finally {
    file.close();
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

/** A file of lines, encrypted on its way. */
class ExportedFile {
  #lines: string[] = [];
  #length = 0;
  documents = 0;

  private constructor(
    readonly writer: WritableStreamDefaultWriter<Uint8Array>,
    /** Resolves once all that was written has reached the disk; tells of a failure by rejecting. */
    readonly done: Promise<void>,
  ) {}

  static async begin(path: string, recipients: readonly string[]): Promise<ExportedFile> {
    const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const done = (async () => {
      try {
        const stream = recipients.length > 0 ? await encrypted(readable, recipients) : readable;
        for await (const piece of stream) await writeAll(file, piece);
        await file.sync();
      } finally {
        file.close();
      }
    })();
    const writer = writable.getWriter();
    // The caller who writes or ends gets the error; it needs no other handling.
    done.catch((error) => writer.abort(error)).catch(() => {});
    writer.closed.catch(() => {});
    return new ExportedFile(writer, done);
  }

  async write(document: Shaped): Promise<void> {
    const line = `${JSON.stringify(document)}\n`;
    this.#lines.push(line);
    this.#length += line.length;
    this.documents++;
    if (this.#length >= GATHERED) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = bytesOf(this.#lines.join(""));
    this.#lines = [];
    this.#length = 0;
    await this.writer.ready;
    await this.writer.write(bytes);
  }

  async end(): Promise<void> {
    if (this.#length > 0) await this.#flush();
    await this.writer.close();
    await this.done;
  }

  async giveUp(): Promise<void> {
    await this.writer.abort().catch(() => {});
    await this.done.catch(() => {});
  }
}
