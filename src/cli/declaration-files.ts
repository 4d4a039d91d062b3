/** Files that declare an organisation: read, joined and written back. */
import { basename, dirname, join, resolve } from "node:path";
import { type Document, isMap, isSeq, parseAllDocuments, stringify } from "yaml";
import { fileProblem, OperatorError } from "./operator-error.ts";
import { terminal } from "./terminal.ts";

/** A declaration as JSON. */
type Config = Record<string, unknown>;

/** One document of a file. */
interface DeclarationDocument {
  /** The file as it was named; `-`: standard input. */
  readonly file: string;
  readonly document: Document;
}

/** Everything that files declare together. */
interface Declared {
  readonly config: Config;
  readonly documents: readonly DeclarationDocument[];
  /** The file's name, or the folder's; of several files what `--name` says. */
  readonly name: string | undefined;
}

/** Files of a folder that are read. */
const FILE = /\.(ya?ml|json)$/;

/**
 * Reads files, folders and standard input (`-`): YAML or JSON, with one document or several. Lists
 * are joined. Throws OperatorError with file and place.
 */
export async function readDeclarations(words: readonly string[]): Promise<Declared> {
  const files = (await Promise.all(words.map(filesOf))).flat();
  const documents: DeclarationDocument[] = [];
  for (const file of files) documents.push(...documentsOf(file, await textOf(file)));
  const [word = ""] = words;
  const isNamed = words.length === 1 && word !== "-";
  return {
    config: joined(documents),
    documents,
    name: isNamed ? basename(resolve(word)) : undefined,
  };
}

async function filesOf(word: string): Promise<string[]> {
  if (word === "-") return [word];
  try {
    if (!(await Deno.stat(word)).isDirectory) return [word];
    const names: string[] = [];
    for await (const { name } of Deno.readDir(word)) if (FILE.test(name)) names.push(name);
    if (names.length > 0) return names.sort().map((name) => join(word, name));
  } catch (error) {
    throw unreadable(word, error);
  }
  throw new OperatorError(`${word}: there is no file in it that ends in .yaml, .yml or .json`);
}

async function textOf(file: string): Promise<string> {
  try {
    if (file === "-") return await new Response(terminal().input).text();
    return await Deno.readTextFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): unknown {
  const problem = fileProblem(error);
  return problem === undefined ? error : new OperatorError(`${file}: ${problem}`, { cause: error });
}

function documentsOf(file: string, text: string): DeclarationDocument[] {
  // In JSON a tab is a blank; in YAML it is a mistake.
  if (file.endsWith(".json")) requireJson(file, text);
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const [problem] = document.errors;
    if (problem) {
      const [at] = problem.linePos ?? [];
      const place = at ? `:${at.line}:${at.col}` : "";
      const [message] = problem.message.split("\n");
      throw new OperatorError(`${file}${place}: ${message?.replace(/ at line .*$/, "")}`);
    }
    return { file, document };
  });
}

function requireJson(file: string, text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new OperatorError(`${file}: is no JSON: ${error.message}`, { cause: error });
  }
}

/** Lists one behind the other; anything else may be in one file alone. */
function joined(documents: readonly DeclarationDocument[]): Config {
  const config: Config = {};
  for (const { file, document } of documents) {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    // A file of comments alone declares nothing.
    if (value === null || value === undefined) continue;
    if (typeof value !== "object" || Array.isArray(value)) {
      throw new OperatorError(`${file}: expected members such as plans, apis or channels`);
    }
    for (const [name, member] of Object.entries(value)) {
      const before = config[name];
      if (before === undefined || name === "$schema" || name === "version") config[name] = member;
      else if (Array.isArray(before) && Array.isArray(member)) {
        config[name] = [...before, ...member];
      } else throw new OperatorError(`${file}: ${name} is declared in another file too`);
    }
  }
  return config;
}

const REFERENCE = /\$\{(env|file):([^{}\n]{1,500})\}/g;

/**
 * The values of the references of documents; a file's path begins at the folder of the file that
 * names it. Throws OperatorError for what is not there.
 */
export async function referencesOf(
  documents: readonly DeclarationDocument[],
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const { file, document } of documents) {
    for (const text of textsIn(document.toJS())) {
      for (const [whole, kind, name = ""] of text.matchAll(REFERENCE)) {
        const key = `${kind}:${name}`;
        values[key] ??= kind === "env" ? variable(whole, name) : await fileFor(file, whole, name);
      }
    }
  }
  return values;
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) {
    for (const one of Object.values(value)) yield* textsIn(one);
  }
}

/** Secrets of Keydesk itself, which no file of an organisation needs. */
const OWN = /^KEYDESK_(TOKEN|ADMIN_TOKEN|SEALING_KEY|DATABASE_URL|DATABASE_PASSWORD)/;

function variable(whole: string, name: string): string {
  if (OWN.test(name)) throw new OperatorError(`${whole}: is a secret of Keydesk itself`);
  const value = terminal().environment[name];
  if (value !== undefined && value !== "") return value;
  throw new OperatorError(`${whole}: the environment has no ${name}`);
}

async function fileFor(declaring: string, whole: string, name: string): Promise<string> {
  const folder = declaring === "-" ? "." : dirname(declaring);
  try {
    return (await Deno.readTextFile(resolve(folder, name))).replace(/\r?\n$/, "");
  } catch (error) {
    throw unreadable(whole, error);
  }
}

/** A declaration as YAML whose first line names its schema. */
export function yamlOf(config: object, schema: string): string {
  return `# yaml-language-server: $schema=${schema}\n${stringify(config, { lineWidth: 100 })}`;
}

/** The place of a declared thing: its document, and its place in the list there. */
function placeOf(
  documents: readonly DeclarationDocument[],
  kind: string,
  index: number,
): { one: DeclarationDocument; path: (string | number)[] } | undefined {
  let left = index;
  for (const one of documents) {
    const node = one.document.get(kind, true);
    if (isMap(node)) return { one, path: [kind] };
    if (!isSeq(node)) continue;
    if (left < node.items.length) return { one, path: [kind, left] };
    left -= node.items.length;
  }
  return undefined;
}

/** Something to adopt: its members as they are; `gone`: it is no longer there. */
interface Adopted {
  readonly kind: string;
  readonly index: number;
  readonly gone: boolean;
  /** Undefined: the member is taken out. */
  readonly members: Readonly<Record<string, unknown>>;
}

/**
 * Writes into the files what is so instead of what they declare, and leaves everything else of them
 * as it was, comments too. Gives the files that changed.
 */
export async function adopt(
  documents: readonly DeclarationDocument[],
  changes: readonly Adopted[],
): Promise<string[]> {
  const changed = new Set<string>();
  // From the end, so that what is taken out moves nothing that is still to be found.
  for (const { kind, index, gone, members } of changes.toSorted((a, b) => b.index - a.index)) {
    const place = placeOf(documents, kind, index);
    if (!place) continue;
    const { one: { document, file }, path } = place;
    changed.add(file);
    if (gone) document.deleteIn(path);
    for (const [name, value] of Object.entries(members)) {
      if (value === undefined) document.deleteIn([...path, name]);
      else document.setIn([...path, name], document.createNode(value));
    }
  }
  for (const file of changed) await rewrite(file, documents);
  return [...changed];
}

async function rewrite(file: string, documents: readonly DeclarationDocument[]): Promise<void> {
  const own = documents.filter((one) => one.file === file).map(({ document }) => document);
  const text = file.endsWith(".json")
    ? `${JSON.stringify(own[0]?.toJS(), null, 2)}\n`
    : own.map((one) => one.toString({ lineWidth: 100 })).join("");
  const partial = `${file}.partial`;
  try {
    await Deno.writeTextFile(partial, text);
    await Deno.rename(partial, file);
  } catch (error) {
    throw unreadable(file, error);
  }
}
