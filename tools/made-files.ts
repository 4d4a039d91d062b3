/**
 * Makes what the program, the console, the client and the package need of what the files of src/
 * declare, and, with `--pages`, the pages of docs/ that are made: `npm run generate`.
 * `node tools/generate.js` runs it.
 */
import { readFileSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../src/kernel/version.ts";
import { type Edition, toOpenApi } from "../src/reference/openapi.ts";
import { clientOperations } from "./client.ts";
import { consoleEndpointFiles } from "./console-endpoints.ts";
import { type Declared, declared } from "./discovered.ts";
import { writeDocuments } from "./documents.ts";
import { errorsText } from "./errors-page.ts";
import { STAMP } from "./generate.js";
import { interfaceText } from "./interface-page.ts";
import { gatewayFilesText } from "./gateway-files.ts";
import { featuresText, registryText, routeTableText, transactionsText } from "./lists.ts";
import { eventsText, permissionsText, withFormerNames } from "./reference-pages.ts";
import { settingsText } from "./settings-page.ts";
import { writeWhole } from "./whole-file.ts";

/** A file by its path in the repository. */
export interface MadeFile {
  readonly path: string;
  readonly text: string;
}

/** What is made at `npm ci`, and ignored by git. */
export function madeFiles(found: Declared): MadeFile[] {
  const endpoints = found.operations.map(({ value }) => value);
  const document = (edition: Edition) =>
    `${JSON.stringify(toOpenApi(endpoints, version, edition), null, 2)}\n`;
  return [
    { path: "src/transactions.ts", text: transactionsText(found) },
    { path: "src/endpoints.ts", text: featuresText(found) },
    { path: "src/route-table.ts", text: routeTableText(found) },
    { path: "src/reference/registry.ts", text: registryText(found) },
    { path: "src/client/operations.ts", text: clientOperations(endpoints) },
    { path: "src/contract/gateway-files.ts", text: gatewayFilesText() },
    ...consoleEndpointFiles(found),
    { path: "openapi.json", text: document("3.2") },
    { path: "openapi-3.1.json", text: document("3.1") },
  ];
}

/**
 * The pages of docs/, which are checked in: a change of them is read with the change that makes it.
 */
export function madePages(found: Declared): MadeFile[] {
  const endpoints = found.operations.map(({ value }) => value);
  return [
    { path: "docs/errors.md", text: errorsText() },
    { path: "docs/settings.md", text: settingsText() },
    { path: "docs/events.md", text: eventsText() },
    { path: "docs/permissions.md", text: permissionsText(endpoints) },
    { path: UPGRADING, text: withFormerNames(readFileSync(join(ROOT, UPGRADING), "utf8")) },
    { path: "docs/interface.txt", text: interfaceText(endpoints) },
  ];
}

const UPGRADING = "docs/upgrading.md";
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

if (import.meta.main) {
  const began = new Date();
  const found = await declared();
  const made = madeFiles(found);
  const pages = Deno.args.includes("--pages") ? madePages(found) : [];
  try {
    writeDocuments(join(ROOT, "dist/documents"), found.operations.map(({ value }) => value));
    // What says that all are there comes last.
    const inOrder = [...made, ...pages].toSorted((a, b) =>
      Number(a.path === STAMP) - Number(b.path === STAMP)
    );
    for (const { path, text } of inOrder) writeWhole(join(ROOT, path), text);
  } catch (error) {
    // What the system refuses is no mistake of the code: no stack helps.
    if (!(error instanceof Error && "syscall" in error)) throw error;
    console.error(error.message);
    Deno.exit(1);
  }
  // Not the end of it: what is changed meanwhile is newer.
  try {
    utimesSync(join(ROOT, STAMP), began, began);
  } catch {
    // Somebody else's files, which say what they should.
  }
}
