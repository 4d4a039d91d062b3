/** What the files of src/ declare, found by their suffixes: operations and state changes. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chapters } from "../src/contract/chapters.ts";
import type { Operation } from "../src/http/operation.ts";
import type { Transaction } from "../src/storage/storage.ts";

/** Something that a file exports: the file below src/, the name there, and the thing itself. */
export interface Export<T> {
  readonly file: string;
  readonly name: string;
  readonly value: T;
}

/** All that is declared. */
export interface Declared {
  /**
   * In the order of the reference: by chapter; in a chapter first the file that has most of it; in
   * a file as it has them. A path that several endpoints share tells its methods in this order
   * (`Allow`).
   */
  readonly operations: readonly Export<Operation>[];
  /** By file. */
  readonly transactions: readonly Export<Transaction<never, unknown>>[];
}

const SRC = join(dirname(dirname(fileURLToPath(import.meta.url))), "src");

/**
 * Loads every file that declares something. Throws where two operations or two transactions share
 * an id.
 */
export async function declared(): Promise<Declared> {
  const [operations, transactions] = await Promise.all([
    exportsOf(".operations.ts", isOperation),
    exportsOf(".transactions.ts", isTransaction),
  ]);
  refuseTwice(operations, "operation");
  refuseTwice(transactions, "transaction");
  return { operations: inOrder(operations), transactions };
}

/** In the order in which the file has them; a module tells them by name. */
function asWritten<T>(file: string, those: readonly Export<T>[]): Export<T>[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const place = ({ name }: Export<T>) => text.indexOf(`export const ${name} =`);
  return those.toSorted((a, b) => place(a) - place(b));
}

function inOrder(operations: readonly Export<Operation>[]): Export<Operation>[] {
  const written = [...Map.groupBy(operations, ({ file }) => file)]
    .flatMap(([file, those]) => asWritten(file, those));
  const place = ({ value, file }: Export<Operation>) => `${value.tag}\n${file}`;
  const sizes = new Map(
    [...Map.groupBy(written, place)].map(([name, group]) => [name, group.length]),
  );
  return written.toSorted((a, b) =>
    chapters.indexOf(a.value.tag) - chapters.indexOf(b.value.tag) ||
    (sizes.get(place(b)) ?? 0) - (sizes.get(place(a)) ?? 0)
  );
}

/** What the files with a suffix export of a kind, by file. */
async function exportsOf<T>(
  suffix: string,
  is: (value: unknown) => value is T,
): Promise<Export<T>[]> {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(suffix))
    .sort();
  const found = files.map(async (file) => {
    const members: Record<string, unknown> = await import(pathToFileURL(join(SRC, file)).href);
    return Object.entries(members)
      .flatMap(([name, value]) => is(value) ? [{ file, name, value }] : []);
  });
  return (await Promise.all(found)).flat();
}

function refuseTwice(all: readonly Export<{ readonly id: string }>[], what: string): void {
  const files = new Map<string, string>();
  for (const { file, value: { id } } of all) {
    const other = files.get(id);
    if (other !== undefined) throw new Error(`the ${what} ${id} stands in ${other} and in ${file}`);
    files.set(id, file);
  }
}

function isOperation(value: unknown): value is Operation {
  return hasMembers(value, "id", "method", "path", "permission", "response", "serve");
}

function isTransaction(value: unknown): value is Transaction<never, unknown> {
  return hasMembers(value, "id", "run") && typeof value.run === "function";
}

function hasMembers<Name extends string>(
  value: unknown,
  ...names: Name[]
): value is Record<Name, unknown> {
  return typeof value === "object" && value !== null && names.every((name) => name in value);
}
