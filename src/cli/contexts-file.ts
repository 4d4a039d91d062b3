/** The file of contexts: servers by name, and the place of each one's access token. */
import { dirname, isAbsolute } from "node:path";
import { z } from "zod";
import { readFileIfThere, writeAll } from "../kernel/durable-file.ts";
import { isServerUrl } from "../settings.ts";
import { openToOthers } from "./open-to-others.ts";
import { fileProblem, OperatorError } from "./operator-error.ts";
import { terminal } from "./terminal.ts";

/**
 * The file of contexts: the launcher's path of it, which knows the home directory, or the setting
 * itself. Undefined where there is neither: there are no contexts.
 */
export function contextsFile(): string | undefined {
  const { KEYDESK_CONTEXTS_PATH, KEYDESK_CONTEXTS } = terminal().environment;
  return KEYDESK_CONTEXTS_PATH || KEYDESK_CONTEXTS || undefined;
}

/** The name of the local store, which needs no context. */
export const LOCAL = "local";

/** A reference to an access token in the system's keyring. */
export const KEYRING = "${keyring}";

/** True for a word that may name a context. */
export function isContextName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text);
}

/** The variable or the file that a reference to an access token names. */
export function referenceOf(token: string): { env?: string; file?: string } {
  const [, kind = "", value = ""] = /^\$\{(env|file):(.+)\}$/s.exec(token) ?? [];
  return kind === "" ? {} : { [kind]: value };
}

const contextSchema = z.strictObject({
  url: z.string().refine(isServerUrl, {
    error: "expected https://… or http://…, without a user name, a query or a fragment",
  }),
  token: z.string().refine(isReference, {
    // Never with the value: people put the access token itself here.
    error: "expected ${env:NAME}, ${file:/path} or ${keyring}, never the access token itself",
  }),
  insecure_http: z.literal(true).optional(),
});

const schema = z.strictObject({
  current: z.string().optional(),
  previous: z.string().optional(),
  contexts: z.record(
    z.string().refine((name) => isContextName(name) && name !== LOCAL, {
      error: "expected a name of letters, digits, dots, dashes and underscores",
    }),
    contextSchema,
  ),
});

/** A server with the reference to its access token. */
export type Context = z.output<typeof contextSchema>;

/** All contexts. `current`: of calls that name none; `previous`: the one before it. */
export type Contexts = z.output<typeof schema>;

function isReference(token: string): boolean {
  const { env, file } = referenceOf(token);
  if (env !== undefined) return isVariable(env);
  return file === undefined ? token === KEYRING : isAbsolute(file);
}

/** True for a variable that may hold an access token; `KEYDESK_…` are settings. */
export function isVariable(name: string): boolean {
  return /^(?!KEYDESK_)[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/**
 * The contexts of a file; none where there is no such file. Throws OperatorError for a file that is
 * unusable, belongs to another user or is open to others than its owner.
 */
export async function readContexts(file: string): Promise<Contexts> {
  const text = await refusable(file, async () => {
    const text = await readFileIfThere(file);
    if (text !== undefined) await refuseOfOthers(file);
    return text;
  });
  if (text === undefined) return { contexts: {} };
  const parsed = schema.safeParse(parse(file, text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    `${file}: ${[...path.map(String), message].join(": ")}`
  );
  throw new OperatorError(problems.join("\n").replaceAll(/[^\P{C}\n]/gu, "\ufffd"));
}

/** As ssh does with its own files: another's contexts could send an access token anywhere. */
async function refuseOfOthers(file: string): Promise<void> {
  const { mode, uid } = await Deno.stat(file);
  const [problem] = openToOthers(file, mode);
  if (problem !== undefined) throw new OperatorError(problem);
  if (uid === null || uid === 0 || uid === Deno.uid()) return;
  throw new OperatorError(`${file} belongs to another user: chown it, or name your own file`);
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message quotes the text.
    const place = error instanceof Error ? /\(line \d+ column \d+\)/.exec(error.message)?.[0] : "";
    throw new OperatorError(`${file} is not JSON ${place ?? ""}`.trimEnd());
  }
}

/**
 * Changes the contexts of a file, one process after the other. The file (mode 0600) is replaced as
 * a whole or not at all; then it has reached the disk.
 */
export async function changeContexts(
  file: string,
  change: (contexts: Contexts) => Contexts,
): Promise<void> {
  using lock = await refusable(file, () => openLock(file));
  await refusable(file, () => lock.lock(true));
  const text = `${JSON.stringify(change(await readContexts(file)), null, 2)}\n`;
  // Not a name by chance: the launcher grants this one.
  const draft = `${file}.partial`;
  await refusable(file, async () => {
    await Deno.remove(draft).catch(() => {});
    using out = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
    await writeAll(out, text);
    await Deno.rename(draft, file);
  });
}

async function openLock(file: string): Promise<Deno.FsFile> {
  const open = () => Deno.open(`${file}.lock`, { write: true, create: true, mode: 0o600 });
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    await Deno.mkdir(dirname(file), { recursive: true, mode: 0o700 });
    return await open();
  }
}

/** Throws OperatorError where the system refuses the file. */
async function refusable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = fileProblem(error);
    throw problem === undefined ? error : new OperatorError(`${file}: ${problem}`);
  }
}
