import { resolve } from "node:path";
import type { Command } from "commander";
import { isServerUrl } from "../settings.ts";
import { absentContext, type ChoosingSettings, chosenServer, CURRENT } from "./chosen-server.ts";
import {
  changeContexts,
  type Context,
  type Contexts,
  contextsFile,
  isContextName,
  isVariable,
  KEYRING,
  LOCAL,
  readContexts,
} from "./contexts-file.ts";
import { type Form, printValues } from "./forms.ts";
import { putIntoKeyring, removeFromKeyring } from "./keyring.ts";
import { type Column, printList, printObject } from "./listing.ts";
import { OperatorError } from "./operator-error.ts";
import { checkedToken, plainHttpProblem, readTokenFile } from "./server-access.ts";
import { withWideOption } from "./server-options.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

/** `keydesk context add|use|list|show|remove`. */
export function addContextCommands(program: Command): void {
  const context = program.command("context")
    .description("servers by name, and the one that commands work on")
    .addHelpText(
      "after",
      `
A context has a name, the address of a server, and a reference to an access token: an environment
variable, a file or the system's keyring. Contexts are kept in keydesk/contexts.json below
$XDG_CONFIG_HOME or ~/.config, or in the file of KEYDESK_CONTEXTS. The file never has the access token.

Commands work on the first of these that is given:
  1. --url or --context
  2. KEYDESK_URL or KEYDESK_CONTEXT
  3. the local store, if KEYDESK_DATA_DIR, KEYDESK_DATABASE_URL or KEYDESK_SEALING_KEY is set
  4. the context of \`keydesk context use\`, which they print on standard error
  5. the local store in ./data

Examples:
  keydesk context add staging --url https://staging.example.org --token-env STAGING_TOKEN
  keydesk context add production --url https://desk.example.org --keyring <token.txt
  keydesk context use staging
  keydesk requests list --context production
  keydesk context use -                        back to the previous one
  keydesk context use local                    the local store, as without contexts`,
    );
  touching(context.command("add"), { ...CHANGES, "--token-file": "read" })
    .argument("<name>", "letters, digits, dots, dashes and underscores")
    .description("add a server by name; its access token stays where it is")
    .requiredOption("--url <url>", "the server's address")
    .option("--token-env <variable>", "this environment variable has its access token")
    .option("--token-file <file>", "this file has it, for its owner alone")
    .option("--keyring", "put the access token of standard input into the system's keyring")
    .option("--insecure-http", "send the access token over plain http to another host too")
    .option("--use", "work on it from now on")
    .option("--replace", "in place of the context of this name")
    .addHelpText(
      "after",
      `
The keyring is that of secret-tool (Linux) or security (macOS).`,
    )
    .action(add);
  touching(context.command("use"), CHANGES)
    .argument("<name>", "-: the previous one; local: the local store")
    .description("choose the server that commands work on if nothing else names one")
    .action(use);
  withWideOption(touching(context.command("list"), READS))
    .description("list the contexts and the local store")
    .option("--json", "print one JSON object a line")
    .action(list);
  touching(context.command("show"), READS)
    .argument("[name]", "without it: what commands work on now, and why")
    .description("show a context")
    .option("--json", "print JSON")
    .action(show);
  touching(context.command("remove"), CHANGES)
    .argument("<name>", "as `list` shows it")
    .description("remove a context, and its access token from the keyring")
    .action(remove);
}

const READS = { needs: "nothing", contexts: "read" } as const;
const CHANGES = { needs: "nothing", contexts: "write" } as const;

interface AddOptions {
  url: string;
  tokenEnv?: string;
  tokenFile?: string;
  keyring?: boolean;
  insecureHttp?: boolean;
  use?: boolean;
  replace?: boolean;
}

async function add(name: string, options: AddOptions): Promise<void> {
  if (!isContextName(name) || name === LOCAL) {
    throw wrong(
      name === LOCAL
        ? "local is the local store, and no context"
        : "a name has up to 63 letters, digits, dots, dashes and underscores, and begins with a letter or a digit",
    );
  }
  const context = await contextOf(options);
  const file = ownFile();
  const { contexts: { [name]: before } } = await readContexts(file);
  const refuse = (known: Context | undefined) => {
    if (known === undefined || options.replace) return;
    throw new OperatorError(`there is a context ${name} already: --replace puts this in its place`);
  };
  refuse(before);
  if (options.keyring) await putIntoKeyring({ name, url: context.url }, await tokenOfInput());
  await changeContexts(file, (all) => {
    refuse(before === undefined ? all.contexts[name] : undefined);
    const contexts = { ...all.contexts, [name]: context };
    return options.use ? { ...chosen(all, name), contexts } : { ...all, contexts };
  });
  if (before) await forget({ name, ...before }, context);
  terminal().err(`${name} is ${context.url}.`);
  if (options.use) return sayChosen(name);
  terminal().err(`\`keydesk context use ${name}\` chooses it, --context ${name} for one command.`);
}

async function contextOf(options: AddOptions): Promise<Context> {
  const { url, tokenEnv, tokenFile, keyring, insecureHttp } = options;
  if (!isServerUrl(url)) throw wrong(`--url: ${SERVER_URL}`);
  const refused = insecureHttp ? undefined : plainHttpProblem(url);
  if (refused !== undefined) throw new OperatorError(refused);
  if ([tokenEnv, tokenFile, keyring].filter((one) => one !== undefined).length !== 1) {
    throw wrong("one of --token-env, --token-file and --keyring is needed");
  }
  return {
    url,
    token: await referenceFor(options),
    ...insecureHttp ? { insecure_http: true } : {},
  };
}

async function referenceFor({ tokenEnv, tokenFile }: AddOptions): Promise<string> {
  if (tokenEnv !== undefined) {
    if (isVariable(tokenEnv)) return `\${env:${tokenEnv}}`;
    throw wrong("--token-env: expected the name of a variable; KEYDESK_… are settings");
  }
  if (tokenFile === undefined) return KEYRING;
  const path = resolve(tokenFile);
  const { warnings } = await readTokenFile(path);
  for (const warning of warnings) terminal().err(`keydesk: ${warning}`);
  return `\${file:${path}}`;
}

async function tokenOfInput(): Promise<string> {
  const text = await new Response(terminal().input).text();
  return checkedToken(text.trim(), "standard input");
}

async function use(word: string): Promise<void> {
  let name: string | undefined = word;
  await changeContexts(ownFile(), (all) => {
    name = word === "-" ? all.previous ?? fail("there is no previous context") : word;
    if (name !== LOCAL && !Object.hasOwn(all.contexts, name)) {
      throw absentContext(name, all.contexts);
    }
    return chosen(all, name);
  });
  await sayChosen(name);
}

/** The contexts with another current one. */
function chosen(all: Contexts, name: string): Contexts {
  const { current = LOCAL, previous } = all;
  const before = current === name ? previous : current;
  return { ...all, current: name === LOCAL ? undefined : name, previous: before };
}

/** Says what commands work on now; settings may come before the current context. */
async function sayChosen(name: string): Promise<void> {
  const { by } = await chosenServer({}, settings());
  terminal().err(
    name === LOCAL
      ? "Commands work on the local store from now on."
      : `Commands work on ${name} from now on.`,
  );
  if (by !== undefined && by !== CURRENT) {
    terminal().err(`${by} is set here, and comes before it.`);
  }
}

async function list(options: { form?: Form; output?: "wide" }): Promise<void> {
  const { current = LOCAL, contexts } = await readContexts(ownFile());
  const named = Object.entries(contexts).toSorted(([a], [b]) => a < b ? -1 : 1)
    .map(([name, context]) => toListed(name, context, current));
  const data = [...named, { name: LOCAL, url: null, token: null, current: current === LOCAL }];
  await printList(() => Promise.resolve({ data }), options, { columns: COLUMNS, empty: "" });
}

function toListed(
  name: string,
  { insecure_http, ...context }: Context,
  current: string | undefined,
) {
  const insecure = insecure_http ? { insecure_http } : {};
  return { name, ...context, ...insecure, current: name === current };
}

const COLUMNS: readonly Column<
  { name: string; url: string | null; token: string | null; current: boolean }
>[] = [
  { head: "NOW", width: 3, of: ({ current }) => current ? "*" : "" },
  { head: "NAME", width: 20, of: "name" },
  { head: "TOKEN", width: 30, of: ({ token }) => token ?? "", extra: 1 },
  { head: "SERVER", of: ({ url }) => url ?? "the local store" },
];

async function show(name: string | undefined, { form }: { form?: Form }): Promise<void> {
  const file = ownFile();
  const { current, contexts } = await readContexts(file);
  const found = name === undefined ? undefined : contexts[name];
  if (name !== undefined && name !== LOCAL && !found) throw absentContext(name, contexts);
  const members = name === undefined
    ? await effective()
    : found
    ? toListed(name, found, current)
    : { name: LOCAL, url: null, token: null, current: current === undefined };
  await (form ? printValues([members], form) : printObject(members));
}

/** The server of commands that name none themselves, and what chose it. */
async function effective() {
  const { by = null, name, url = null, context } = await chosenServer({}, settings());
  const called = name ?? (url === null ? LOCAL : null);
  return { name: called, url, token: context?.token ?? null, by };
}

async function remove(name: string): Promise<void> {
  let removed: Context | undefined;
  let isCurrent = false;
  await changeContexts(ownFile(), ({ current, previous, contexts }) => {
    const { [name]: found, ...others } = contexts;
    if (!found) throw absentContext(name, contexts);
    removed = found;
    isCurrent = current === name;
    const kept = (one: string | undefined) => one === name ? undefined : one;
    return { current: kept(current), previous: kept(previous), contexts: others };
  });
  if (removed) await forget({ name, ...removed });
  terminal().err(`${name} is removed.`);
  if (isCurrent) await sayChosen(LOCAL);
}

/** Takes the access token of a former context out of the keyring, unless the present one has it. */
async function forget(former: Context & { name: string }, present?: Context): Promise<void> {
  if (former.token !== KEYRING) return;
  const origin = (one: Context) => new URL(one.url).origin;
  if (present?.token === KEYRING && origin(present) === origin(former)) return;
  await removeFromKeyring(former);
}

function ownFile(): string {
  return contextsFile() ??
    fail("there is no home directory: KEYDESK_CONTEXTS names the file of contexts");
}

/** The settings that choose, alone: others need not be usable for this. */
function settings(): ChoosingSettings {
  const { KEYDESK_URL, KEYDESK_CONTEXT } = terminal().environment;
  if (KEYDESK_URL && !isServerUrl(KEYDESK_URL)) fail(`KEYDESK_URL: ${SERVER_URL}`);
  return { URL: KEYDESK_URL || undefined, CONTEXT: KEYDESK_CONTEXT || undefined };
}

const SERVER_URL = "expected https://… or http://…, without a user name, a query or a fragment";

function fail(why: string): never {
  throw new OperatorError(why);
}

function wrong(why: string): OperatorError {
  return new OperatorError(why, { exitCode: 2 });
}
