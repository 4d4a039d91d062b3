/**
 * What the files of src/ declare, found by their suffixes: endpoints, the functions that serve
 * them, state changes.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chapters } from "../src/contract/chapters.ts";
import type { Endpoint } from "../src/contract/endpoint.ts";
import type { Operation } from "../src/http/operation.ts";
import type { Transaction } from "../src/storage/storage.ts";

/** Something that a file exports: the file below src/, the name there, and the thing itself. */
export interface Export<T> {
  readonly file: string;
  readonly name: string;
  readonly value: T;
}

/** An operation, and the file that the program loads to serve it. */
export interface ServedEndpoint extends Export<Endpoint> {
  readonly loaded: string;
}

/** What is loaded with the first call of one of its endpoints: a file, and what it exports. */
export interface ServingFile {
  readonly file: string;
  /** The list of a file of routes; absent: each operation by its name. */
  readonly list?: string;
  readonly operations: readonly Export<Operation>[];
}

/** All that is declared. */
export interface Declared {
  /**
   * In the order of the reference: by chapter; in a chapter first the file that has most of it; in
   * a file as it has them. A path that several endpoints share tells its methods in this order
   * (`Allow`).
   */
  readonly endpoints: readonly ServedEndpoint[];
  /** By file. */
  readonly serving: readonly ServingFile[];
  /** By file. */
  readonly transactions: readonly Export<Transaction<never, unknown>>[];
}

const SRC = join(dirname(dirname(fileURLToPath(import.meta.url))), "src");

/**
 * Loads every file that declares something. Throws where an endpoint is not served exactly once, or
 * two share an id.
 */
export async function declared(): Promise<Declared> {
  const [contracts, routes, operations, transactions] = await Promise.all([
    exportsOf(".contract.ts", isEndpoint),
    exportsOf(".routes.ts", isRoutes),
    exportsOf(".operations.ts", isOperation),
    exportsOf(".transactions.ts", isTransaction),
  ]);
  refuseTwice([...contracts, ...operations], "endpoint", ({ value }) => value.id);
  refuseTwice(transactions, "transaction", ({ value }) => value.id);
  refuseTwice(routes, "list of routes", ({ file }) => file);
  const serving = [
    ...routes.map(({ file, name, value }) => ({
      file,
      list: name,
      operations: value.map((one) => ({ file, name: one.id, value: one })),
    })),
    ...[...Map.groupBy(operations, ({ file }) => file)].map(([file, those]) => ({
      file,
      operations: asWritten(file, those),
    })),
  ].toSorted((a, b) => a.file < b.file ? -1 : 1);
  return { endpoints: inOrder(served(contracts, serving)), serving, transactions };
}

function served(
  contracts: readonly Export<Endpoint>[],
  serving: readonly ServingFile[],
): ServedEndpoint[] {
  const declarations = new Map(contracts.map((one) => [one.value.id, one]));
  const endpoints = serving.flatMap(({ file, list, operations }) =>
    operations.map((one) => {
      if (list === undefined) return { ...one, loaded: file };
      const declaration = declarations.get(one.value.id);
      if (!declaration) {
        throw new Error(`${file}: ${one.value.id} is no contract's, or served twice`);
      }
      declarations.delete(one.value.id);
      return { ...declaration, loaded: file };
    })
  );
  const [unserved] = declarations.values();
  if (unserved) throw new Error(`${unserved.file}: no routes serve ${unserved.value.id}`);
  return endpoints;
}

/** In the order in which the file has them; a module tells them by name. */
function asWritten<T>(file: string, those: readonly Export<T>[]): Export<T>[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const place = ({ name }: Export<T>) => text.indexOf(`export const ${name} =`);
  return those.toSorted((a, b) => place(a) - place(b));
}

function inOrder(endpoints: readonly ServedEndpoint[]): ServedEndpoint[] {
  const place = ({ value, loaded }: ServedEndpoint) => `${value.tag}\n${loaded}`;
  const sizes = new Map(
    [...Map.groupBy(endpoints, place)].map(([name, group]) => [name, group.length]),
  );
  return endpoints.toSorted((a, b) =>
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

function refuseTwice<T>(
  all: readonly Export<T>[],
  what: string,
  nameOf: (one: Export<T>) => string,
): void {
  const files = new Map<string, string>();
  for (const one of all) {
    const name = nameOf(one);
    const other = files.get(name);
    if (other !== undefined) {
      throw new Error(`the ${what} ${name} stands in ${other} and in ${one.file}`);
    }
    files.set(name, one.file);
  }
}

function isEndpoint(value: unknown): value is Endpoint {
  return hasMembers(value, "id", "method", "path", "permission", "response");
}

function isOperation(value: unknown): value is Operation {
  return isEndpoint(value) && "serve" in value;
}

function isRoutes(value: unknown): value is readonly Operation[] {
  return Array.isArray(value) && value.length > 0 && value.every(isOperation);
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
