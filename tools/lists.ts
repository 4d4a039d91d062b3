/** The lists of src/ that are read by the whole program, written from what its files declare. */
import type { Declared, Export } from "./discovered.ts";

/** The first line of each. */
export const MADE =
  "// Made by `npm run generate` of what the files of src/ declare; it is not checked in.";

/** The text of src/reference/registry.ts. */
export function registryText({ operations }: Declared): string {
  return `${MADE}
import type { Endpoint } from "../contract/endpoint.ts";
${imports(operations, "../")}

/** Every endpoint there is, in the order in which the reference shows them. */
export const endpoints: readonly Endpoint[] = [
${members(operations)}
];
`;
}

/** The text of src/transactions.ts. */
export function transactionsText({ transactions }: Declared): string {
  return `${MADE}
${imports(transactions, "./")}
import type { Transaction } from "./storage/storage.ts";

/** Every state change there is. The writer thread finds them here by id. */
export const transactions: readonly Transaction<never, unknown>[] = [
${members(transactions)}
];
`;
}

/** The text of src/endpoints.ts. */
export function featuresText({ operations }: Declared): string {
  const byFile = [...Map.groupBy(operations, ({ file }) => file)]
    .toSorted(([a], [b]) => a < b ? -1 : 1);
  const loaders = byFile.map(([file, those]) => {
    const names = those.map(({ name }) => `it.${name}`);
    return `  "${stemOf(file)}": () => import("./${file}").then((it) => [${names.join(", ")}]),`;
  });
  return `${MADE}
import type { ServerCall } from "./open-server.ts";
import type { FeatureLoaders } from "./http/routes.ts";

/**
 * The operations of each file. A file is loaded when one of its operations is first called, so that
 * starting costs neither the time nor the memory of what nobody asks for. \`route-table.ts\` says
 * which paths lead where.
 */
export const features = {
${loaders.join("\n")}
} satisfies FeatureLoaders<ServerCall>;
`;
}

/** The text of src/route-table.ts. */
export function routeTableText({ operations }: Declared): string {
  const rows = operations.map(({ file, value }) => {
    const { id, method, aliases = [], path, otherPaths, wholeTree, overridable } = value;
    const head = {
      feature: stemOf(file),
      id,
      methods: [method, ...aliases],
      path,
      ...otherPaths ? { otherPaths } : {},
      ...wholeTree ? { wholeTree: true } : {},
      ...overridable ? { overridable: method } : {},
    };
    return `  ${JSON.stringify(head)},`;
  });
  return `${MADE}
import type { features } from "./endpoints.ts";
import type { RouteHead } from "./http/routes.ts";

/**
 * Every endpoint's place, for the router: known at once, while its feature is loaded at its first
 * call.
 */
export const routeTable: readonly RouteHead<keyof typeof features>[] = [
${rows.join("\n")}
];
`;
}

/** The import of each file that exports one of them, under a name of its own. */
export function imports(all: readonly Export<unknown>[], toSrc: string, kind = "import"): string {
  const files = [...new Set(all.map(({ file }) => file))].sort();
  return files.map((file) => `${kind} * as ${aliasOf(file)} from "${toSrc}${file}";`).join("\n");
}

/**
 * What stands for a file in the code that imports it: `featuresKeysKeys` for
 * `features/keys/keys.operations.ts`.
 */
export function aliasOf(file: string): string {
  return stemOf(file).replaceAll(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase());
}

function members(all: readonly Export<unknown>[]): string {
  return all.map(({ file, name }) => `  ${aliasOf(file)}.${name},`).join("\n");
}

/** A file's path without its suffix: `features/keys/keys`. */
function stemOf(file: string): string {
  return file.replace(/\.[a-z]+\.ts$/, "");
}
