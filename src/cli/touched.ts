/**
 * The effects of commands outside of the program. The launcher grants these permissions and no
 * others: bin/verbs.json is made of them.
 */
import type { Command } from "commander";

/** The kind of thing that a word of a command names. */
export type Named =
  /** A file or folder that is read. */
  | "read"
  /**
   * One that is written, and read, as is the same name with `.partial` added, which is renamed at
   * the end.
   */
  | "write"
  /**
   * A file that declares an organisation, or a folder of such: it is read, and so is what its
   * references name, variables of the environment among it.
   */
  | "declaration"
  /** A store to move, `sqlite:FILE` or `postgres://…`. */
  | "store"
  /** The server of an http://, https://, redis:// or rediss:// URL. */
  | "net"
  /** A context: its server, and its access token's file, variable or keyring. */
  | "context";

/** The effects of a command besides the things that its words name. */
interface Reach {
  /** Instead of the store that the settings name: the settings alone, or nothing. */
  readonly needs?: "settings" | "nothing";
  /** The listening address is taken or tried, the collector of traces too. */
  readonly listens?: true;
  /** The hosts that KEYDESK_OUTBOUND and KEYDESK_SMTP_URL name are called. */
  readonly calls?: true;
  /** The address is asked by which others reach the server. */
  readonly asksItself?: true;
  /**
   * It works on the server that `--url` or KEYDESK_URL names, if one does, by the access token in
   * the file of `--token-file` or KEYDESK_TOKEN_FILE, instead of the store; of another server than
   * that of KEYDESK_URL by `--token-file` alone. Without `--token-file` it needs none. Or it works
   * on the server of a context: src/cli/chosen-server.ts.
   */
  readonly onServer?: true;
  /** It reads the file of contexts, or changes it and their access tokens in the keyring. */
  readonly contexts?: "read" | "write";
}

/** The effects of a command with those of its arguments and options; the others name nothing. */
export type Touched = Reach & Readonly<Partial<Record<"arguments" | `--${string}`, Named>>>;

const touchedBy = new WeakMap<Command, Touched>();

/** Says what a command touches, besides what was said of it before. */
export function touching(command: Command, touched: Touched): Command {
  touchedBy.set(command, { ...touchedBy.get(command), ...touched });
  return command;
}

/**
 * A line for each command by its words: what it reaches, then `arguments` where it has any, then
 * each option with a value; with `=` and what it names, if anything.
 */
export function touchLines(program: Command): Record<string, string> {
  return Object.fromEntries(program.commands.flatMap((one) => linesOf(one, one.name())));
}

function linesOf(command: Command, words: string): [string, string][] {
  const below = command.commands.flatMap((one) => linesOf(one, `${words} ${one.name()}`));
  if (below.length > 0 && command.registeredArguments.length === 0) return below;
  const touched: Record<string, unknown> = { ...touchedBy.get(command) };
  const word = (name: string, as = name) =>
    touched[as] === undefined || touched[as] === true ? name : `${name}=${touched[as]}`;
  const options = command.options.filter(({ required, optional }) => required || optional)
    .flatMap(({ short, long }) => [short, long].flatMap((name) => name ? word(name, long) : []));
  const all = [
    ...REACH.filter((name) => name in touched).map((name) => word(name)),
    ...command.registeredArguments.length > 0 ? [word("arguments")] : [],
    ...options,
  ];
  return [[words, all.join(" ")], ...below];
}

const REACH: readonly (keyof Reach)[] = [
  "needs",
  "listens",
  "calls",
  "asksItself",
  "onServer",
  "contexts",
];
