import type { Config } from "../config.ts";
import { announcedServer } from "./chosen-server.ts";
import { type Context, referenceOf } from "./contexts-file.ts";
import { openToOthers } from "./open-to-others.ts";
import { fileProblem, OperatorError } from "./operator-error.ts";
import type { ServerOptions } from "./server-options.ts";
import { terminal } from "./terminal.ts";

/** The server that a command works on, and where its access token may be. */
export interface ServerChoice {
  url: string;
  tokenFile: string | undefined;
  token: string | undefined;
  /** Its own access token comes before one of the settings, which is another server's. */
  context: { name: string; context: Context } | undefined;
  insecureHttp: boolean;
}

/**
 * The server that options, settings and contexts choose; undefined: the local store. Throws
 * OperatorError for options without one, and where the access token in the settings belongs to
 * another server than `--url`.
 */
export async function serverOf(
  { url, context: named, tokenFile, insecureHttp = false }: ServerOptions,
  config: Config,
): Promise<ServerChoice | undefined> {
  const { url: chosen, name, context } = await announcedServer({ url, context: named }, config);
  if (chosen === undefined) {
    if (tokenFile === undefined && !insecureHttp) return undefined;
    throw new OperatorError(
      `${
        tokenFile === undefined ? "--insecure-http" : "--token-file"
      } belongs to --url or --context`,
      { exitCode: 2 },
    );
  }
  const insecure = { insecureHttp: insecureHttp || context?.insecure_http === true };
  if (name !== undefined && context !== undefined) {
    const own = tokenFile === undefined ? { name, context } : undefined;
    return { url: chosen, tokenFile, token: undefined, context: own, ...insecure };
  }
  if (tokenFile === undefined && isOfAnother(chosen, config)) {
    const setting = config.TOKEN_FILE === undefined ? "KEYDESK_TOKEN" : "KEYDESK_TOKEN_FILE";
    throw new OperatorError(
      `${setting} belongs to the server of KEYDESK_URL, and --url names another: give its access token by --token-file`,
      { exitCode: 2 },
    );
  }
  // An access token that was named beside the address comes before one of the settings.
  const file = tokenFile ?? config.TOKEN_FILE;
  const token = file ? undefined : config.TOKEN;
  return { url: chosen, tokenFile: file, token, context: undefined, ...insecure };
}

/** True where the settings hold an access token, and name a server of another origin for it. */
function isOfAnother(url: string, { URL: own, TOKEN, TOKEN_FILE }: Config): boolean {
  if (own === undefined || (TOKEN ?? TOKEN_FILE) === undefined) return false;
  return new URL(url).origin !== new URL(own).origin;
}

/** The access token for a server, and what the operator should know of the file that held it. */
interface ServerAccess {
  token: string;
  /** Its source: the file, or the setting. */
  source: string;
  warnings: string[];
}

/**
 * The access token for a server. Throws OperatorError where there is none, and where it would go
 * over plain http to another host.
 */
export async function accessTokenFor(server: ServerChoice): Promise<ServerAccess> {
  const { url, tokenFile, token, context, insecureHttp } = server;
  const refused = insecureHttp ? undefined : plainHttpProblem(url);
  if (refused !== undefined) throw new OperatorError(refused);
  if (context !== undefined) return await accessOf(context);
  if (tokenFile !== undefined) return await readTokenFile(tokenFile);
  if (token !== undefined) {
    return { token: checkedToken(token, "KEYDESK_TOKEN"), source: "KEYDESK_TOKEN", warnings: [] };
  }
  throw new OperatorError(
    `an access token for ${
      new URL(url).host
    } is needed: --token-file <file>, or KEYDESK_TOKEN_FILE or KEYDESK_TOKEN in the environment`,
  );
}

/** The access token that a context refers to. */
async function accessOf(
  { name, context }: NonNullable<ServerChoice["context"]>,
): Promise<ServerAccess> {
  const { env, file } = referenceOf(context.token);
  if (file !== undefined) return await readTokenFile(file);
  if (env === undefined) {
    const { tokenInKeyring } = await import("./keyring.ts");
    const token = await tokenInKeyring({ name, url: context.url });
    return { token: checkedToken(token, "the keyring"), source: "the keyring", warnings: [] };
  }
  const token = terminal().environment[env];
  if (token) return { token: checkedToken(token, env), source: env, warnings: [] };
  throw new OperatorError(`${env} is not in the environment: ${name} has its access token there`);
}

/** A sentence where what is sent, such as an access token, could be read on its way. */
export function plainHttpProblem(url: string, sent = "the access token"): string | undefined {
  const { protocol, hostname, host } = new URL(url);
  if (protocol === "https:" || isLoopback(hostname)) return undefined;
  return `over plain http everyone on the way to ${host} can read ${sent}: use https://, or --insecure-http if the way is safe`;
}

/** True for the names and addresses of this very machine. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** The access token in a file. Throws OperatorError where it has none. */
export async function readTokenFile(file: string): Promise<ServerAccess> {
  let text: string;
  let mode: number | null;
  try {
    text = await Deno.readTextFile(file);
    ({ mode } = await Deno.stat(file));
  } catch (error) {
    const problem = fileProblem(error);
    if (problem === undefined) throw error;
    throw new OperatorError(`${file}: ${problem}`, { cause: error });
  }
  return {
    token: checkedToken(text.trim(), file),
    source: file,
    warnings: openToOthers(file, mode),
  };
}

/** The text, where a header can carry it. Never repeats it. */
export function checkedToken(text: string, place: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(text)) return text;
  throw new OperatorError(`${place} holds no access token: expected one word of plain letters`);
}
