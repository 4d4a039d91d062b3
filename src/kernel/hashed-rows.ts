import { Buffer } from "node:buffer";

/** Bytes of a row that hold its name: the SHA-256, then the organisation's number. */
const HASH_BYTES = 32;
const NAME_BYTES = HASH_BYTES + 4;
/** Rows of one buffer, a power of two. */
const PAGE_BITS = 10;
const PAGE_ROWS = 1 << PAGE_BITS;
/** Places of the first table; a power of two, as all later ones. */
const FIRST_PLACES = 1024;

/**
 * Rows of a fixed number of bytes, each found by an organisation and a SHA-256. Finding compares
 * the whole name, so no row is ever given for another one's. The bytes lie in buffers outside of
 * the engine's heap: a row costs its bytes and eight more, and the collector does not look at it. A
 * row keeps its number until it is deleted; then a later one may get it.
 */
export class HashedRows {
  readonly #rowBytes: number;
  readonly #pages: Page[] = [];
  /** Row numbers by the beginning of the hash, each plus one; 0: free. Linear probing. */
  #table = new Int32Array(FIRST_PLACES);
  #mask = FIRST_PLACES - 1;
  /** Numbers of organisations, from 1 on: 0 marks a deleted row. */
  readonly #numbers = new Map<string, number>();
  readonly #org_ids: string[] = [""];
  readonly #deleted: number[] = [];
  #end = 0;

  /** `bytes`: of each row, beside its name. */
  constructor(bytes: number) {
    this.#rowBytes = (NAME_BYTES + bytes + 7) & ~7;
  }

  get size(): number {
    return this.#end - this.#deleted.length;
  }

  /** All numbers of rows are below it. */
  get end(): number {
    return this.#end;
  }

  /** The row of this name; -1: there is none. A name that is no SHA-256 has none. */
  find(org_id: string, hash: string): number {
    const number = this.#numbers.get(org_id);
    if (number === undefined || !readHash(hash)) return -1;
    for (let place = this.#homeOf(number);; place = (place + 1) & this.#mask) {
      const row = this.#at(place);
      if (row < 0 || this.#isNamed(row, number)) return row;
    }
  }

  /** A row of this name, all bytes 0. There is none yet, and the name is a SHA-256. */
  add(org_id: string, hash: string): number {
    if (!readHash(hash)) throw new Error("a row is named by a SHA-256");
    // At most half full, so that a free place is near.
    if (this.size * 2 >= this.#table.length) this.#grow();
    const row = this.#deleted.pop() ?? this.#end++;
    if (row >= this.#pages.length * PAGE_ROWS) {
      this.#pages.push(new Page(PAGE_ROWS * this.#rowBytes));
    }
    const number = this.#numberOf(org_id);
    const view = this.viewOf(row);
    const name = this.offsetOf(row) - NAME_BYTES;
    for (let i = 0; i < HASH_BYTES; i += 4) view.setUint32(name + i, read.getUint32(i));
    view.setUint32(name + HASH_BYTES, number);
    this.#place(row, this.#homeOf(number));
    return row;
  }

  delete(row: number): void {
    let hole = this.#homeOfRow(row);
    while (this.#at(hole) !== row) hole = (hole + 1) & this.#mask;
    // Rows that were pushed past the hole move up, so that no search ends too early.
    for (let place = hole;;) {
      place = (place + 1) & this.#mask;
      const other = this.#at(place);
      if (other < 0) break;
      const pushed = (place - this.#homeOfRow(other)) & this.#mask;
      if (pushed < ((place - hole) & this.#mask)) continue;
      this.#table[hole] = other + 1;
      hole = place;
    }
    this.#table[hole] = 0;
    const begin = this.offsetOf(row) - NAME_BYTES;
    this.#pageOf(row).bytes.fill(0, begin, begin + this.#rowBytes);
    this.#deleted.push(row);
  }

  /** False: the row is deleted. */
  has(row: number): boolean {
    return this.#numberAt(row) !== 0;
  }

  hashOf(row: number): string {
    const begin = this.offsetOf(row) - NAME_BYTES;
    return this.#pageOf(row).bytes.subarray(begin, begin + HASH_BYTES).toHex();
  }

  orgOf(row: number): string {
    return this.#org_ids[this.#numberAt(row)] ?? "";
  }

  /** The buffer that holds a row's bytes, beside those of other rows. */
  viewOf(row: number): DataView {
    return this.#pageOf(row).view;
  }

  /** The place in that buffer at which they begin. */
  offsetOf(row: number): number {
    return (row & (PAGE_ROWS - 1)) * this.#rowBytes + NAME_BYTES;
  }

  /** The text that writeText wrote there, by its number of bytes. */
  readText(row: number, at: number, bytes: number): string {
    if (bytes === 0) return "";
    const begin = this.offsetOf(row) + at;
    return this.#pageOf(row).bytes.toString("utf8", begin, begin + bytes);
  }

  /** Writes a well-formed text into a row's bytes; the caller knows that it has room there. */
  writeText(row: number, at: number, text: string): void {
    this.#pageOf(row).bytes.write(text, this.offsetOf(row) + at, "utf8");
  }

  #pageOf(row: number): Page {
    const page = this.#pages[row >> PAGE_BITS];
    if (page === undefined) throw new RangeError("no such row");
    return page;
  }

  #at(place: number): number {
    return (this.#table[place] ?? 0) - 1;
  }

  /** The hash is the one that was read last. */
  #isNamed(row: number, number: number): boolean {
    const view = this.viewOf(row);
    const name = this.offsetOf(row) - NAME_BYTES;
    if (view.getUint32(name + HASH_BYTES) !== number) return false;
    for (let i = 0; i < HASH_BYTES; i += 4) {
      if (view.getUint32(name + i) !== read.getUint32(i)) return false;
    }
    return true;
  }

  #homeOf(number: number): number {
    return homeOf(read.getUint32(0), number) & this.#mask;
  }

  #homeOfRow(row: number): number {
    const first = this.viewOf(row).getUint32(this.offsetOf(row) - NAME_BYTES);
    return homeOf(first, this.#numberAt(row)) & this.#mask;
  }

  #numberAt(row: number): number {
    return this.viewOf(row).getUint32(this.offsetOf(row) - NAME_BYTES + HASH_BYTES);
  }

  #numberOf(org_id: string): number {
    const known = this.#numbers.get(org_id);
    if (known !== undefined) return known;
    const number = this.#org_ids.push(org_id) - 1;
    this.#numbers.set(org_id, number);
    return number;
  }

  #place(row: number, home: number): void {
    let place = home;
    while (this.#at(place) >= 0) place = (place + 1) & this.#mask;
    this.#table[place] = row + 1;
  }

  #grow(): void {
    const rows = this.#table.filter((one) => one !== 0);
    this.#table = new Int32Array(this.#table.length * 2);
    this.#mask = this.#table.length - 1;
    for (const one of rows) this.#place(one - 1, this.#homeOfRow(one - 1));
  }
}

/** The bytes of some rows, as numbers and as texts. */
class Page {
  readonly view: DataView;
  readonly bytes: Buffer;

  constructor(bytes: number) {
    const buffer = new ArrayBuffer(bytes);
    this.view = new DataView(buffer);
    this.bytes = Buffer.from(buffer);
  }
}

/** One organisation's rows are spread by their hashes, and those of another one elsewhere. */
function homeOf(first: number, number: number): number {
  return first ^ Math.imul(number, 0x9e3779b1);
}

/** The bytes of the hash that was read last. */
const read = new DataView(new ArrayBuffer(HASH_BYTES));
const readBytes = new Uint8Array(read.buffer);
let lastRead = "";

/** Reads 64 digits in lower case; false: it is something else. */
function readHash(hash: string): boolean {
  // A call asks for its key more than once.
  if (hash === lastRead && hash !== "") return true;
  if (hash.length !== HASH_BYTES * 2 || hash !== hash.toLowerCase()) return false;
  lastRead = "";
  try {
    readBytes.setFromHex(hash);
  } catch {
    return false;
  }
  lastRead = hash;
  return true;
}
