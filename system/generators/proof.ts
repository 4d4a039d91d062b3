/** What the generators' clients were made of when all of them were last compiled and called. */
import { join } from "node:path";
import { sha256 } from "../../src/kernel/sha256.ts";
import { further, sources } from "./tools.ts";

const PROVED = join(sources, "proved.txt");

/** The SHA-256 over a document, the versions of the generators, and the programs that call. */
export async function proofOf(document: string): Promise<string> {
  const texts: string[] = [];
  for (const path of [document, ...await filesOf(sources)]) {
    texts.push(await Deno.readTextFile(path));
  }
  return sha256(texts.join("\0"));
}

/** Whether the last proof is of the same. */
export async function isProved(proof: string): Promise<boolean> {
  return (await Deno.readTextFile(PROVED).catch(() => "")).trim() === proof;
}

/** Writes down what was proved. */
export async function writeProof(proof: string): Promise<void> {
  await Deno.writeTextFile(PROVED, `${proof}\n`);
}

/**
 * The files that stand in a folder and below it, in their order, without what is proved of them and
 * the further tools.
 */
async function filesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (path === PROVED || path === further || name === "node_modules") continue;
    found.push(...isDirectory ? await filesOf(path) : [path]);
  }
  return found.toSorted();
}
