import type { Config } from "../config.ts";
import { isServerUrl } from "../settings.ts";
import type { ServerOptions } from "./server-options.ts";
import { fileProblem, OperatorError } from "./operator-error.ts";

/** The server that a command works on, and where its access token may be. */
export interface ServerChoice {
  url: string;
  tokenFile: string | undefined;
  token: string | undefined;
  insecureHttp: boolean;
}

/**
 * The server that options and settings name; undefined: the local store. Throws OperatorError for
 * options without one, and where the access token in the settings belongs to another server than
 * `--url`.
 */
export function serverOf(
  { url, tokenFile, insecureHttp = false }: ServerOptions,
  config: Config,
): ServerChoice | undefined {
  const chosen = openServerOf({ url }, config);
  if (chosen === undefined) {
    if (tokenFile === undefined && !insecureHttp) return undefined;
    throw new OperatorError(
      `${tokenFile === undefined ? "--insecure-http" : "--token-file"} belongs to --url`,
      { exitCode: 2 },
    );
  }
  if (tokenFile === undefined && isOfAnother(chosen, config)) {
    const setting = config.TOKEN_FILE === undefined ? "KEYDESK_TOKEN" : "KEYDESK_TOKEN_FILE";
    throw new OperatorError(
      `${setting} belongs to the server of KEYDESK_URL, and --url names another: give its access token by --token-file`,
      { exitCode: 2 },
    );
  }
  // An access token that was named beside the address comes before one of the settings.
  const named = tokenFile ?? config.TOKEN_FILE;
  return { url: chosen, tokenFile: named, token: named ? undefined : config.TOKEN, insecureHttp };
}

/**
 * Opens the server for calls without an access token. Throws OperatorError for an invalid address.
 */
export function openServerOf(
  { url }: Pick<ServerOptions, "url">,
  config: Config,
): string | undefined {
  if (url === undefined || isServerUrl(url)) return url ?? config.URL;
  // Not the parser's to say: it would repeat what may hold a password.
  throw new OperatorError(
    "--url: expected https://… or http://…, without a user name, a query or a fragment",
    { exitCode: 2 },
  );
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
  const { url, tokenFile, token, insecureHttp } = server;
  const refused = insecureHttp ? undefined : plainHttpProblem(url);
  if (refused !== undefined) throw new OperatorError(refused);
  if (tokenFile !== undefined) return await readTokenFile(tokenFile);
  if (token !== undefined) {
    return { token: checked(token, "KEYDESK_TOKEN"), source: "KEYDESK_TOKEN", warnings: [] };
  }
  throw new OperatorError(
    `an access token for ${
      new URL(url).host
    } is needed: --token-file <file>, or KEYDESK_TOKEN_FILE or KEYDESK_TOKEN in the environment`,
  );
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

async function readTokenFile(file: string): Promise<ServerAccess> {
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
  return { token: checked(text.trim(), file), source: file, warnings: openToOthers(file, mode) };
}

/** A sentence where others than the owner may read or write a file, with the mode to give it. */
export function openToOthers(file: string, mode: number | null, wanted = "600"): string[] {
  if (mode === null || (mode & 0o077) === 0) return [];
  const modeText = (mode & 0o777).toString(8);
  return [`${file} is open to others than its owner (mode ${modeText}): chmod ${wanted} ${file}`];
}

/** The text, where a header can carry it. Never repeats it. */
function checked(text: string, place: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(text)) return text;
  throw new OperatorError(`${place} holds no access token: expected one word of plain letters`);
}
