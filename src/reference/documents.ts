import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { editionFor, type FileEncoding, packFile } from "../http/compression.ts";
import { ifNoneMatchHas } from "../http/routes.ts";
import { Answer } from "../kernel/answer.ts";
import { once } from "../kernel/once.ts";
import { replaced } from "./replacements.ts";

/** A document by the name of its file. */
type DocumentName = "openapi.json" | "openapi-3.1.json";

const NAMES: readonly DocumentName[] = ["openapi.json", "openapi-3.1.json"];

/**
 * The folder into which `tools/documents.ts` puts them: in a clone below dist/, in a package beside
 * it.
 */
const FOLDER = fileURLToPath(
  new URL(
    import.meta.url.endsWith(".ts") ? "../../dist/documents/" : "./documents/",
    import.meta.url,
  ),
);

/** The files of both documents, and the tag of each document's content. */
interface Documents {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly tags: ReadonlyMap<string, string>;
}

/**
 * The documents as they are served: made of the build's files, or, where there are none, what a
 * thread writes.
 */
export class ServedDocuments {
  readonly #documents: () => Promise<Documents>;
  /**
   * The packed documents, by the document's name and the encoding; concurrent requests share one.
   */
  readonly #packed = new Map<string, Promise<Uint8Array>>();

  /** `folder`: where the build put them. */
  constructor(folder = FOLDER) {
    // Read with the first call and kept, since answers that are under way at the same time then
    // share their bytes.
    this.#documents = once(async () => tagged(await readFrom(folder) ?? await writtenByThread()));
  }

  /** The document in the best encoding that is taken; 304 without a body for anyone who has it. */
  async answer(
    name: DocumentName,
    asked: Pick<Headers, "get">,
  ): Promise<Answer<Uint8Array | null>> {
    const { files, tags } = await this.#documents();
    const { encoding, suffix } = editionFor(asked.get("accept-encoding"));
    // Each edition is other bytes.
    const etag = `"${tags.get(name)}${suffix}"`;
    const headers = { etag, vary: "Accept-Encoding", "cache-control": "no-cache" };
    if (ifNoneMatchHas(asked.get("if-none-match"), etag)) return new Answer(null, headers, 304);
    const bytes = files.get(name);
    if (!bytes) throw new Error(`${name} is not there`);
    const body = encoding === undefined ? bytes : await this.#edition(name, bytes, encoding);
    return new Answer(body, {
      ...headers,
      "content-type": "application/json; charset=utf-8",
      ...encoding === undefined ? {} : { "content-encoding": encoding },
    });
  }

  #edition(name: string, bytes: Uint8Array, encoding: FileEncoding): Promise<Uint8Array> {
    const key = `${name} ${encoding}`;
    const packed = this.#packed.get(key) ?? packFile(bytes, encoding);
    this.#packed.set(key, packed);
    return packed;
  }
}

/**
 * The 3.1 document is a file, the other one is made of it (`tools/documents.ts`). Undefined where a
 * file is absent.
 */
async function readFrom(folder: string): Promise<Map<string, Uint8Array> | undefined> {
  try {
    const [older, replacements] = await Promise.all([
      Deno.readFile(join(folder, "openapi-3.1.json")),
      Deno.readTextFile(join(folder, "openapi-replacements.json")),
    ]);
    const newer = replaced(older, JSON.parse(replacements));
    return new Map([["openapi.json", newer], ["openapi-3.1.json", older]]);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function writtenByThread(): Promise<Map<string, Uint8Array>> {
  const name = "documents-thread";
  const file = import.meta.url.endsWith(".ts") ? `./${name}.ts` : `./${name}.js`;
  const thread = new Worker(new URL(file, import.meta.url), { type: "module", name: "documents" });
  try {
    return await new Promise((resolve, reject) => {
      thread.onmessage = ({ data }: MessageEvent<Map<string, Uint8Array>>) => resolve(data);
      thread.onerror = (event) => {
        event.preventDefault();
        reject(new Error(`the documents were not written: ${event.message}`));
      };
    });
  } finally {
    thread.terminate();
  }
}

function tagged(files: ReadonlyMap<string, Uint8Array>): Documents {
  const tags = NAMES.map((name) => {
    const hash = createHash("sha256").update(files.get(name) ?? "").digest("hex");
    return [name, hash.slice(0, 32)] as const;
  });
  return { files, tags: new Map(tags) };
}
