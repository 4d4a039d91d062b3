import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import {
  brotliCompress,
  brotliCompressSync,
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
import { acceptedEncoding } from "./accepted-encoding.ts";
import { PackedTexts } from "./packed-texts.ts";

/** The encodings of answers, the best first: bench/notes/compression.md has the measurements. */
const ENCODINGS = ["zstd", "br", "gzip"] as const;

/** An encoding that answers are compressed in. */
export type Encoding = typeof ENCODINGS[number];

/** Shorter texts are sent as they are, in characters: they would fit into the same packet. */
export const LEAST = 1024;

/** Longer texts are compressed beside this thread, in characters: shorter ones take it half a millisecond. */
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

/** A text in this encoding: at once where it is short. No secret may stand in it, since its editions are kept. */
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

/** Pieces in this encoding, made as the client takes them. */
export function compressPieces(pieces: Pieces, encoding: Encoding): ReadableStream<Uint8Array> {
  const coder = CODERS[encoding]();
  // Whoever leaves ends the pieces; a piece that can't be made breaks the answer off.
  pipeline(Readable.from(pieces, { objectMode: false, highWaterMark: 1 }), coder, () => {});
  // as: a coder gives bytes.
  return Readable.toWeb(coder) as ReadableStream<Uint8Array>;
}

const CODERS: Readonly<Record<Encoding, () => Readable & NodeJS.WritableStream>> = {
  zstd: () => createZstdCompress(QUICK.zstd),
  br: () => createBrotliCompress(QUICK.br),
  gzip: () => createGzip(QUICK.gzip),
};
