/**
 * What the files of src/ declare, found by their suffixes: endpoints, the functions that serve
 * them, state changes.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chapters } from "../src/contract/chapters.ts";
import type { Endpoint } from "../src/contract/endpoint.ts";
import type { Binding } from "../src/http/routes.ts";
import type { Transaction } from "../src/storage/storage.ts";

/** Something that a file exports: the file below src/, the name there, and the thing itself. */
export interface Export<T> {
  readonly file: string;
  readonly name: string;
  readonly value: T;
}

/** An endpoint by its contract, and the file of the routes that serve it. */
export interface ServedEndpoint extends Export<Endpoint> {
  readonly routes: string;
}

/** All that is declared. */
export interface Declared {
  /**
   * In the order of the reference: by chapter; in a chapter first the file of routes that has most
   * of it; in a file as its list has them. A path that several endpoints share tells its methods in
   * this order (`Allow`).
   */
  readonly endpoints: readonly ServedEndpoint[];
  /** The list of each file of routes, by file. */
  readonly routes: readonly Export<readonly Binding[]>[];
  /** By file. */
  readonly transactions: readonly Export<Transaction<never, unknown>>[];
}

const SRC = join(dirname(dirname(fileURLToPath(import.meta.url))), "src");

/**
 * Loads every file that declares something. Throws where an endpoint is not served exactly once, or
 * two share an id.
 */
export async function declared(): Promise<Declared> {
  const [contracts, routes, transactions] = await Promise.all([
    exportsOf(".contract.ts", isEndpoint),
    exportsOf(".routes.ts", isRoutes),
    exportsOf(".transactions.ts", isTransaction),
  ]);
  refuseTwice(contracts, "endpoint", ({ value }) => value.id);
  refuseTwice(transactions, "transaction", ({ value }) => value.id);
  refuseTwice(routes, "list of routes", ({ file }) => file);
  return { endpoints: inOrder(served(contracts, routes)), routes, transactions };
}

function served(
  contracts: readonly Export<Endpoint>[],
  routes: readonly Export<readonly Binding[]>[],
): ServedEndpoint[] {
  const declarations = new Map(contracts.map((one) => [one.value, one]));
  const endpoints = routes.flatMap(({ file, value }) =>
    value.map(({ endpoint }) => {
      const declaration = declarations.get(endpoint);
      if (!declaration) {
        throw new Error(`${file}: ${endpoint.id} is no contract's, or served twice`);
      }
      declarations.delete(endpoint);
      return { ...declaration, routes: file };
    })
  );
  const [unserved] = declarations.values();
  if (unserved) throw new Error(`${unserved.file}: no routes serve ${unserved.value.id}`);
  return endpoints;
}

function inOrder(endpoints: readonly ServedEndpoint[]): ServedEndpoint[] {
  const place = ({ value, routes }: ServedEndpoint) => `${value.tag}\n${routes}`;
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

function isRoutes(value: unknown): value is readonly Binding[] {
  return Array.isArray(value) && value.length > 0 &&
    value.every((one) => hasMembers(one, "endpoint", "handle"));
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
