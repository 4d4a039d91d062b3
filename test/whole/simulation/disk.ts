/**
 * A disk in memory, as a file system shows it: what was written is read at once, and is safe from a
 * power cut only once it was flushed. Everything that goes wrong with it is decided by whoever made
 * it.
 */
import type { Random } from "../../support/random.ts";

/** What a call on a file does, and what may go wrong with it. */
export type DiskCall = "read" | "write" | "truncate" | "sync" | "delete";

/** How such a call fails: the disk is full, or says that it can't. */
export type DiskFault = "full" | "io";

/** What becomes of what was not flushed when everything stops. */
export type Stop =
  /** The process is killed: all that it wrote is kept by the system. */
  | "kill"
  /**
   * Power fails, and all of it is lost, kept, cut off somewhere, or any sectors of it are kept and
   * the others not.
   */
  | "lost"
  | "kept"
  | "torn"
  | "reordered";

/** Every way to stop. */
export const stops: readonly Stop[] = ["kill", "lost", "kept", "torn", "reordered"];

/** Thrown into whoever uses a disk after everything has stopped. */
export class Stopped extends Error {}

/** Thrown where a call fails and the disk goes on. */
export class DiskFailed extends Error {
  constructor(readonly fault: DiskFault) {
    super(fault);
  }
}

/** What is written in one piece or not at all. */
const SECTOR = 512;

type Change = { at: number; bytes: Uint8Array } | { size: number };

let inodes = 0;

/** One file: what would be there after a power cut, and what was done since. */
class DiskFile {
  readonly shown: Bytes;
  flushed: Bytes;
  changes: Change[] = [];

  constructor(bytes: Uint8Array = new Uint8Array()) {
    this.shown = new Bytes(bytes);
    this.flushed = new Bytes(bytes);
  }

  /** By which it is told from every other file. */
  readonly inode = ++inodes;

  apply(change: Change): void {
    this.shown.apply(change);
    this.changes.push(change);
  }

  flush(): void {
    for (const change of this.changes) this.flushed.apply(change);
    this.changes = [];
  }

  /**
   * A flush that failed: the system forgets that these are still to be written, and shows them all
   * the same.
   */
  readonly forgotten: Change[] = [];
  forget(): void {
    this.forgotten.push(...this.changes.splice(0));
  }
}

/**
 * What the owner of a disk decides about each call; `count` is the number of this call on the disk.
 */
export interface DiskRules {
  before(call: DiskCall, file: string, count: number): DiskFault | "stop" | undefined;
}

/** A disk with files that are found by their names. */
export class Disk {
  readonly #files = new Map<string, DiskFile>();
  /** Files whose name is gone, but not safely so. */
  readonly #unlinked = new Map<string, DiskFile>();
  /** Files whose name is safely there. */
  readonly #named = new Set<string>();
  rules: DiskRules = { before: () => undefined };
  /** Calls so far, reads left out. */
  count = 0;
  /** How often each call was made, and failed as the rules said. */
  readonly calls = new Map<DiskCall | DiskFault, number>();
  stopped = false;
  /** Hears of each call that changes something. */
  onCall: (line: string) => void = () => {};

  /** Puts a file there, safely. */
  put(name: string, bytes: Uint8Array): void {
    this.#files.set(name, new DiskFile(bytes));
    this.#named.add(name);
  }

  /** The bytes of each file, as they are shown. */
  files(): Map<string, Uint8Array> {
    return new Map([...this.#files].map(([name, { shown }]) => [name, shown.copy()]));
  }

  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** What a file system tells of a file; undefined where there is none. */
  stat(name: string): { inode: number; size: number } | undefined {
    const file = this.#files.get(name);
    return file && { inode: file.inode, size: file.shown.length };
  }

  open(name: string, create: boolean): boolean {
    this.#check();
    if (this.#files.has(name)) return true;
    if (!create) return false;
    this.#files.set(name, new DiskFile());
    return true;
  }

  /** How many bytes were there to be read into `into`. */
  read(name: string, at: number, into: Uint8Array): number {
    this.#begin("read", name, "");
    return this.#file(name).shown.read(at, into);
  }

  write(name: string, at: number, bytes: Uint8Array): void {
    const change = { at, bytes: bytes.slice() };
    this.#begin("write", name, `${at} ${bytes.length}`, () => this.#file(name).apply(change));
    this.#file(name).apply(change);
  }

  truncate(name: string, size: number): void {
    this.#begin("truncate", name, `${size}`);
    this.#file(name).apply({ size });
  }

  /** Makes the file's bytes safe, and its name. */
  sync(name: string): void {
    const file = this.#file(name);
    this.#begin("sync", name, `${file.changes.length}`, undefined, () => file.forget());
    file.flush();
    this.#named.add(name);
    this.#unlinked.delete(name);
  }

  /** `durably`: the folder is flushed too. */
  delete(name: string, durably: boolean): boolean {
    this.#begin("delete", name, "");
    const file = this.#files.get(name);
    if (!file) return false;
    this.#files.delete(name);
    if (this.#named.has(name) && !durably) this.#unlinked.set(name, file);
    this.#named.delete(name);
    return true;
  }

  size(name: string): number {
    this.#check();
    return this.#file(name).shown.length;
  }

  /** From now on every call throws `Stopped`. */
  stop(): void {
    this.stopped = true;
  }

  /** Whether it shows something that it will never write: its flush failed. */
  get forgets(): boolean {
    return [...this.#files.values()].some(({ forgotten }) => forgotten.length > 0);
  }

  /** What a machine finds that starts after such a stop. */
  after(stop: Stop, random: Random): Disk {
    const next = new Disk();
    if (stop === "kill") {
      // What was forgotten stays unwritten and is shown: it goes with the next power cut.
      for (const [name, file] of this.#files) {
        next.put(name, file.flushed.copy());
        const found = next.#file(name);
        if (!this.#named.has(name)) next.#named.delete(name);
        for (const change of file.changes) found.apply(change);
        if (file.forgotten.length > 0) {
          found.shown.become(file.shown);
          found.forgotten.push(...file.forgotten);
        }
      }
      for (const [name, file] of this.#unlinked) next.#unlinked.set(name, file);
      return next;
    }
    for (const [name, file] of this.#files) {
      const hasName = this.#named.has(name) || stop === "kept" ||
        (stop !== "lost" && random.chance(0.5));
      if (hasName) next.put(name, survivorsOf(file, stop, random));
    }
    for (const [name, file] of this.#unlinked) {
      const isBack = !next.has(name) && stop !== "kept" && (stop === "lost" || random.chance(0.5));
      if (isBack) next.put(name, survivorsOf(file, stop, random));
    }
    return next;
  }

  #file(name: string): DiskFile {
    const file = this.#files.get(name) ?? this.#unlinked.get(name);
    if (!file) throw new DiskFailed("io");
    return file;
  }

  #begin(
    call: DiskCall,
    name: string,
    detail: string,
    onStop?: () => void,
    onFailure?: () => void,
  ): void {
    this.#check();
    if (call !== "read") this.count++;
    this.calls.set(call, (this.calls.get(call) ?? 0) + 1);
    const rule = this.rules.before(call, name, this.count);
    if (call !== "read" || rule !== undefined) {
      this.onCall(`${call} ${name.slice(name.lastIndexOf("/") + 1)} ${detail} ${rule ?? ""}`);
    }
    if (rule === undefined) return;
    if (rule === "stop") {
      // The very write in which everything stops may be there, in part or whole.
      onStop?.();
      this.stop();
      throw new Stopped();
    }
    this.calls.set(rule, (this.calls.get(rule) ?? 0) + 1);
    onFailure?.();
    throw new DiskFailed(rule);
  }

  #check(): void {
    if (this.stopped) throw new Stopped();
  }
}

function survivorsOf(file: DiskFile, stop: Exclude<Stop, "kill">, random: Random): Uint8Array {
  const bytes = new Bytes(file.flushed.copy());
  const { changes } = file;
  if (stop === "kept") { for (const change of changes) bytes.apply(change); }
  if (stop === "torn") {
    const whole = random.below(changes.length + 1);
    for (const change of changes.slice(0, whole)) bytes.apply(change);
    const cut = changes[whole];
    // Anywhere: not all disks write a sector whole.
    if (cut && "bytes" in cut) bytes.apply(partOf(cut, 0, random.below(cut.bytes.length + 1)));
  }
  if (stop === "reordered") {
    for (const change of changes) {
      if (!("bytes" in change)) {
        if (random.chance(0.5)) bytes.apply(change);
        continue;
      }
      const dice = random.next();
      if (dice < 0.35) bytes.apply(change);
      else if (dice < 0.65) {
        for (let from = 0; from < change.bytes.length; from += SECTOR) {
          if (random.chance(0.5)) bytes.apply(partOf(change, from, from + SECTOR));
        }
      }
    }
  }
  return bytes.copy();
}

function partOf({ at, bytes }: { at: number; bytes: Uint8Array }, from: number, to: number) {
  return { at: at + from, bytes: bytes.subarray(from, to) };
}

/** Bytes that grow; what was never written reads as zeros. */
class Bytes {
  #bytes: Uint8Array;
  length: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes.slice();
    this.length = bytes.length;
  }

  copy(): Uint8Array {
    return this.#bytes.slice(0, this.length);
  }

  become(other: Bytes): void {
    this.#bytes = other.copy();
    this.length = other.length;
  }

  read(at: number, into: Uint8Array): number {
    const there = this.#bytes.subarray(
      Math.min(at, this.length),
      Math.min(at + into.length, this.length),
    );
    into.set(there);
    into.fill(0, there.length);
    return there.length;
  }

  apply(change: Change): void {
    if (!("bytes" in change)) {
      this.#grow(change.size);
      this.#bytes.fill(0, change.size, Math.max(change.size, this.length));
      this.length = change.size;
      return;
    }
    if (change.bytes.length === 0) return;
    const end = change.at + change.bytes.length;
    this.#grow(end);
    this.#bytes.set(change.bytes, change.at);
    this.length = Math.max(this.length, end);
  }

  #grow(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(size, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.length));
    this.#bytes = larger;
  }
}
