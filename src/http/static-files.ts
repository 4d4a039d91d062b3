import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Answer } from "../kernel/answer.ts";
import { Failure } from "../kernel/failure.ts";
import { once } from "../kernel/once.ts";
import {
  acceptedEncoding,
  type Bytes,
  editionFor,
  KEPT_FOR_GOOD,
  PACKED_SUFFIX,
  repacked,
} from "./compression.ts";

/** The answer with a file, as in the contract of its endpoint. */
type FileAnswer = Answer<Uint8Array>;

/** How a file comes from its folder: packed by the build, or as it is. */
type Packing = "packed" | "plain";

/**
 * Files under names that hold a hash of their content, so that browsers keep them for good. They
 * come packed as `<name>.br` where the build made that, else from `<name>` and are packed as they
 * are asked for. Nothing is read before it is asked for, and nothing but the hashes is kept.
 */
export class StaticFiles {
  readonly #files: Readonly<Record<string, URL>>;
  readonly #hashed = once(() => this.#hash());

  /** `files`: where each file stands, by its name. */
  constructor(files: Readonly<Record<string, URL>>) {
    this.#files = files;
  }

  /** Every name as it is served, by its own. Throws `unknown_path` where the files are absent. */
  async served(): Promise<ReadonlyMap<string, string>> {
    return new Map([...await this.#all()].map(([hashed, { name }]) => [name, hashed]));
  }

  /**
   * The file of this name, in the best encoding that `accepted` (Accept-Encoding) takes. Throws
   * `unknown_path`.
   */
  async answer(hashed: string, accepted: string | null): Promise<FileAnswer> {
    const file = (await this.#all()).get(hashed);
    if (!file) throw new Failure("unknown_path");
    const { encoding, bytes } = await this.#read(file.name, file.packing, accepted);
    return new Answer(bytes, {
      "content-type": typeOf(file.name),
      "cache-control": KEPT_FOR_GOOD,
      vary: "Accept-Encoding",
      ...encoding === undefined ? {} : { "content-encoding": encoding },
    });
  }

  async #all() {
    try {
      return await this.#hashed();
    } catch (cause) {
      throw new Failure("unknown_path", { cause });
    }
  }

  async #hash() {
    const hashed = new Map<string, { name: string; packing: Packing }>();
    for (const name of Object.keys(this.#files)) {
      const packed = await this.#file(name, PACKED_SUFFIX).catch(() => undefined);
      const hash = createHash("sha256").update(packed ?? await this.#file(name)).digest("hex")
        .slice(0, 16);
      const dot = name.lastIndexOf(".");
      const packing = packed ? "packed" : "plain";
      hashed.set(`${name.slice(0, dot)}.${hash}${name.slice(dot)}`, { name, packing });
    }
    return hashed;
  }

  async #read(name: string, packing: Packing, accepted: string | null) {
    if (packing === "plain") {
      const encoding = acceptedEncoding(accepted, ["gzip"]);
      const bytes = await this.#file(name);
      return { encoding, bytes: encoding ? await promisify(gzip)(bytes) : bytes };
    }
    const { encoding } = editionFor(accepted);
    return { encoding, bytes: await repacked(await this.#file(name, PACKED_SUFFIX), encoding) };
  }

  #file(name: string, packed = ""): Promise<Bytes> {
    return Deno.readFile(new URL(`${this.#files[name]}${packed}`));
  }
}

function typeOf(name: string): string {
  if (name.endsWith(".js")) return "text/javascript; charset=utf-8";
  if (name.endsWith(".css")) return "text/css; charset=utf-8";
  return "application/octet-stream";
}
