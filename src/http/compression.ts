import { Buffer } from "node:buffer";
import type { Transform } from "node:stream";
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import {
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  type BrotliOptions,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from "node:zlib";
import type { Pieces } from "../kernel/answer.ts";
import { LONGEST_HEADER } from "../kernel/input-limits.ts";

/** The encodings of answers, the best first: bench/notes/compression.md has the measurements. */
const ENCODINGS = ["zstd", "br", "gzip"] as const;

/** An encoding that answers are compressed in. */
type Encoding = typeof ENCODINGS[number];

/** Shorter texts are sent as they are, in characters: they would fit into the same packet. */
export const LEAST = 1024;

/**
 * Longer texts are compressed beside this thread, in characters: shorter ones take it half a
 * millisecond.
 */
const BESIDE = 256 * 1024;

/** The encoding for a client that says this of what it takes; undefined: as it is. */
export function encodingFor(accepted: string | null): Encoding | undefined {
  return accepted === null ? undefined : acceptedEncoding(accepted, ENCODINGS);
}

/** A text is compressed anew unless it is one of the last ones. */
const QUICK = {
  zstd: { params: { [constants.ZSTD_c_compressionLevel]: 3 } },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } } satisfies BrotliOptions,
  gzip: { level: 6 },
};

/**
 * A text in this encoding: at once where it is short. No secret may stand in it, since its editions
 * are kept.
 */
export function compressText(text: string, encoding: Encoding): Bytes | Promise<Bytes> {
  return text.length > BESIDE
    ? compressBeside(text, encoding)
    : PACKED[encoding].get(text, AT_ONCE[encoding]);
}

/** Bytes as responses take them. */
export type Bytes = Uint8Array<ArrayBuffer>;

// as: what is made here lies in memory of its own.
const AT_ONCE: Readonly<Record<Encoding, (text: string) => Bytes>> = {
  zstd: (text) => zstdCompressSync(text, QUICK.zstd) as Bytes,
  br: (text) => brotliCompressSync(text, QUICK.br) as Bytes,
  gzip: (text) => gzipSync(text, QUICK.gzip) as Bytes,
};

/** Texts kept in all, in characters; beyond it the oldest go. */
const KEPT_LENGTH = 2 * 1024 * 1024;

/**
 * Compressed editions of the texts that were sent last, found by the whole text: what is kept in
 * `kernel/read-cache.ts` goes out again and again, and compressing it costs ten times what sending
 * it does. One for each encoding.
 */
export class PackedTexts<Bytes> {
  readonly #kept = new Map<string, Bytes>();
  #length = 0;

  /** The edition of this text, as `pack` made it when it came before, or makes it now. */
  get(text: string, pack: (text: string) => Bytes): Bytes {
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const packed = pack(text);
    this.#kept.set(text, packed);
    this.#length += text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#length <= KEPT_LENGTH) break;
      this.#kept.delete(oldest);
      this.#length -= oldest.length;
    }
    return packed;
  }
}

const PACKED: Readonly<Record<Encoding, PackedTexts<Bytes>>> = {
  zstd: new PackedTexts(),
  br: new PackedTexts(),
  gzip: new PackedTexts(),
};

async function compressBeside(
  text: string,
  encoding: Encoding,
): Promise<Bytes> {
  // as: what is made here lies in memory of its own.
  switch (encoding) {
    case "zstd":
      return await promisify(zstdCompress)(text, QUICK.zstd) as Bytes;
    case "br":
      return await promisify(brotliCompress)(text, QUICK.br) as Bytes;
    case "gzip":
      return await promisify(gzip)(text, QUICK.gzip) as Bytes;
  }
}

/**
 * Pieces in this encoding. The next is asked for when the one before is packed, which takes this
 * thread. Some are empty: a coder gathers what it gives.
 */
export async function* compressPieces(
  pieces: Pieces,
  encoding: Encoding,
): AsyncGenerator<Uint8Array, void, void> {
  const coder = CODERS[encoding]();
  const ended = finished(coder);
  // The error is reported where it is awaited.
  ended.catch(() => {});
  const packed: Uint8Array[] = [];
  coder.on("data", (bytes: Uint8Array) => packed.push(bytes));
  const taken = () => Buffer.concat(packed.splice(0));
  try {
    for await (const piece of pieces) {
      await new Promise<void>((resolve, reject) => {
        coder.write(piece, (error) => error ? reject(error) : resolve());
      });
      yield taken();
    }
    coder.end();
    await ended;
    yield taken();
  } finally {
    coder.destroy();
  }
}

const CODERS: Readonly<Record<Encoding, () => Transform>> = {
  zstd: () => createZstdCompress(QUICK.zstd),
  br: () => createBrotliCompress(QUICK.br),
  gzip: () => createGzip(QUICK.gzip),
};

/**
 * Of these encodings the one that an `Accept-Encoding` header weighs most, by name (RFC 9110,
 * 12.5.3), and of equals the first; undefined: none, or the client would rather have what is sent
 * as it is, which always fits. A header that is too long to be an honest one counts as absent.
 */
export function acceptedEncoding<Encoding extends string>(
  header: string | null,
  encodings: readonly Encoding[],
): Encoding | undefined {
  if (header === null || header.length > LONGEST_HEADER) return undefined;
  const weights = new Map(header.toLowerCase().split(",").map(weighed));
  let best: Encoding | undefined;
  let most = weights.get("identity") ?? 0;
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? 0;
    // As good as what is sent as it is, and smaller.
    if (weight > most || (best === undefined && weight > 0 && weight === most)) {
      [best, most] = [encoding, weight];
    }
  }
  return best;
}

/** The encoding's name and weight: 0 where the client refuses it, or writes what is no weight. */
function weighed(item: string): [name: string, weight: number] {
  const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
  const weight = parameters.map((parameter) => WEIGHT.exec(parameter)?.[1])
    .find((one) => one !== undefined);
  return [name, weight === undefined ? 1 : Number(weight) || 0];
}

const WEIGHT = /^q\s*=\s*(.*)$/;

/** The caching of a file whose name has a hash of its content: browsers keep it for good. */
export const KEPT_FOR_GOOD = "public, max-age=31536000, immutable";

/**
 * The encodings in which files are sent, the smallest first, and what tells their editions apart.
 */
const SUFFIXES = { br: ".br", gzip: ".gz" } as const;
const FILE_ENCODINGS = ["br", "gzip"] as const;

/** An encoding of files. */
export type FileEncoding = keyof typeof SUFFIXES;

/**
 * The edition of a built file that `accepted` (Accept-Encoding) takes; without an encoding the file
 * as it is.
 */
export function editionFor(
  accepted: string | null,
): { encoding: FileEncoding | undefined; suffix: string } {
  const encoding = acceptedEncoding(accepted, FILE_ENCODINGS);
  return { encoding, suffix: encoding === undefined ? "" : SUFFIXES[encoding] };
}

/** The suffix of a file that a build compressed: with brotli, as nearly all browsers take it. */
export const PACKED_SUFFIX = SUFFIXES.br;

/** A file that a build packed, in another encoding or in none: beside this thread. */
export async function repacked(packed: Bytes, encoding: FileEncoding | undefined): Promise<Bytes> {
  if (encoding === "br") return packed;
  // as: what is made here lies in memory of its own.
  const plain = await promisify(brotliDecompress)(packed) as Bytes;
  return encoding === undefined ? plain : await packFile(plain, encoding);
}

/** A file as it is sent again and again: once a process, beside this thread. */
export async function packFile(bytes: Uint8Array, encoding: FileEncoding): Promise<Bytes> {
  // as: what is made here lies in memory of its own.
  switch (encoding) {
    case "br":
      return await promisify(brotliCompress)(bytes, LASTING.br) as Bytes;
    case "gzip":
      return await promisify(gzip)(bytes, LASTING.gzip) as Bytes;
  }
}

/** bench/notes/compression.md measures both. */
const LASTING = {
  br: {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  } satisfies BrotliOptions,
  gzip: { level: 9 },
};
