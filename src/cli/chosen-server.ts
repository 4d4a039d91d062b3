import type { Config } from "../config.ts";
import { isServerUrl } from "../settings.ts";
import { type Context, type Contexts, contextsFile, LOCAL, readContexts } from "./contexts-file.ts";
import { OperatorError } from "./operator-error.ts";
import type { ServerOptions } from "./server-options.ts";
import { terminal } from "./terminal.ts";

/** The server of a call, or the local store where there is no `url`. */
interface Chosen {
  /** The option, the setting or the file that chose it; undefined: nothing did. */
  by: string | undefined;
  url?: string;
  /** The context, if one names the server. */
  name?: string;
  context?: Context;
}

/** The settings that choose. */
export type ChoosingSettings = Pick<Config, "URL" | "CONTEXT">;

/**
 * The first that names a server or the local store: `--url` or `--context`, KEYDESK_URL or
 * KEYDESK_CONTEXT, the settings of a store, the current context. Settings of a store come before
 * the current context, so that a file in a home directory never diverts the commands of a server's
 * own machine. Throws OperatorError for two that contradict each other, an unusable address and a
 * context that is absent.
 */
export async function chosenServer(
  { url, context }: Pick<ServerOptions, "url" | "context">,
  { URL: setting, CONTEXT }: ChoosingSettings,
): Promise<Chosen> {
  refuseBoth(["--url", url], ["--context", context]);
  if (url !== undefined) return { by: "--url", url: usable(url) };
  if (context !== undefined) return await contextNamed(context, "--context");
  refuseBoth(["KEYDESK_URL", setting], ["KEYDESK_CONTEXT", CONTEXT]);
  if (setting !== undefined) return { by: "KEYDESK_URL", url: setting };
  if (CONTEXT !== undefined) return await contextNamed(CONTEXT, "KEYDESK_CONTEXT");
  const store = STORE_SETTINGS.find((name) => terminal().environment[name]);
  if (store !== undefined) return { by: store };
  const { current } = await ownContexts();
  return current === undefined ? { by: undefined } : await contextNamed(current, CURRENT);
}

/** As `chosenServer`; it is said on standard error where the current context alone chose. */
export async function announcedServer(
  options: Pick<ServerOptions, "url" | "context">,
  config: ChoosingSettings,
): Promise<Chosen> {
  const chosen = await chosenServer(options, config);
  if (chosen.by === CURRENT) terminal().err(`keydesk: at ${chosen.name} (${chosen.url})`);
  return chosen;
}

/** The origin of a choice that neither the call nor the settings made. */
export const CURRENT = "keydesk context use";

/** Settings that are there where a store is. */
const STORE_SETTINGS: readonly string[] = [
  "KEYDESK_DATA_DIR",
  "KEYDESK_DATABASE_URL",
  "KEYDESK_DATABASE_URL_FILE",
  "KEYDESK_SEALING_KEY",
  "KEYDESK_SEALING_KEY_FILE",
];

function refuseBoth(...both: readonly (readonly [string, string | undefined])[]): void {
  if (both.some(([, value]) => value === undefined)) return;
  const names = both.map(([name]) => name).join(" and ");
  throw new OperatorError(`${names} both name the server: one of them is needed`, { exitCode: 2 });
}

function usable(url: string): string {
  if (isServerUrl(url)) return url;
  // Not the parser's to say: it would repeat what may hold a password.
  throw new OperatorError(
    "--url: expected https://… or http://…, without a user name, a query or a fragment",
    { exitCode: 2 },
  );
}

async function contextNamed(name: string, by: string): Promise<Chosen> {
  if (name === LOCAL) return { by };
  const { contexts } = await ownContexts();
  const context = Object.entries(contexts).find(([one]) => one === name)?.[1];
  if (context !== undefined) return { by, name, url: context.url, context };
  throw absentContext(name, contexts);
}

async function ownContexts(): Promise<Contexts> {
  const file = contextsFile();
  return file === undefined ? { contexts: {} } : await readContexts(file);
}

/** That there is no such context, and which there are. */
export function absentContext(
  name: string,
  contexts: Readonly<Record<string, Context>>,
): OperatorError {
  const names = Object.keys(contexts).toSorted();
  const others = names.length === 0
    ? "; keydesk context add makes one"
    : `: there ${names.length === 1 ? "is" : "are"} ${names.join(", ")}`;
  const printed = name.replaceAll(/\p{C}/gu, "\ufffd");
  return new OperatorError(`there is no context ${printed}${others}`, { exitCode: 2 });
}
