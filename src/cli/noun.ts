/** Commands of the form `keydesk noun verb`, declared as data, and what makes them of it. */
import type { Argument, Command } from "commander";
import type { Client } from "../client/keydesk-client.ts";
import type { Filters, FilterValues } from "../contract/filters.ts";
import { withClient } from "./with-client.ts";
import { withServerOptions, withWideOption } from "./server-options.ts";
import { forEach, forOne } from "./each.ts";
import { filterQuery, withFilters } from "./filters.ts";
import { type Form, printValues } from "./forms.ts";
import { type Column, isEmptyMember, type Page, printList, printObject } from "./listing.ts";
import { OperatorError } from "./operator-error.ts";
import { foundOf, type Given, givenOf, type Options, toCount } from "./options.ts";
import { print } from "./standard-output.ts";
import { printable } from "./table.ts";
import { terminal } from "./terminal.ts";
import { type Touched, touching } from "./touched.ts";

/** A noun with its verbs. */
interface Noun {
  readonly name: string;
  readonly summary: string;
  /** The text below its help. */
  readonly about?: string;
  /** The possible words behind the noun; one that says `keydesk` is taken as it is. */
  readonly examples?: readonly string[];
  readonly verbs: readonly Verb[];
}

/** A command that `lists`, `calls` or `runs` declares, below a noun or the program. */
type Verb = (noun: Command) => void;

/** Makes the commands of a noun. */
export function noun({ name, summary, verbs, ...help }: Noun): (program: Command) => void {
  return (program) => {
    const made = program.command(name).description(summary);
    withHelp(made, help, `keydesk ${name}`);
    for (const add of verbs) add(made);
  };
}

/** The members of every verb. */
interface Declared<O extends Options> {
  /** The word, and its arguments: `change <gateway>`. */
  readonly verb: string;
  readonly summary: string;
  readonly about?: string;
  /** The possible words behind the noun, as of a noun. */
  readonly examples?: readonly string[];
  /** Arguments that have a meaning or choices of their own, instead of those behind the verb. */
  readonly args?: readonly Argument[];
  /** The kind of thing that the first argument names. If it takes several, each is one. */
  readonly of?: Thing;
  /** By the members of the body or the query that they set. */
  readonly options?: O;
  /** The output of `--json`; absent: it has no such option. */
  readonly json?: string;
  /** Why these options and arguments don't go together; undefined where they do. */
  readonly refuses?: (given: Given<O>, words: readonly string[]) => string | undefined;
  readonly touches?: Touched;
}

/** Something that is named by its id, or by a word that `idOf` finds it by. */
interface Thing {
  readonly kind: string;
  readonly idOf?: (client: Client, word: string) => Promise<string>;
}

/** The input of a verb. */
export interface At<O extends Options> {
  readonly client: Client;
  /** The prefix of links to this server, if it does not know its own. */
  readonly address: string;
  /** The id that the first argument names; empty without one. */
  readonly id: string;
  /** The arguments as they were typed; `word`: the first of them, or the one it is about. */
  readonly words: readonly string[];
  readonly word: string;
  readonly given: Given<O>;
  /** The form of the output, if not text. */
  readonly form: Form | undefined;
}

/** A verb that prints a list. */
interface Lists<O extends Options, F extends Filters, Item> extends Declared<O> {
  /** The filters of the list, besides `options`; `inOrder`: the first of them in the help. */
  readonly filters?: F;
  readonly inOrder?: readonly (keyof F)[];
  /** It takes `--limit`, beside `--json`, which every list does. */
  readonly limit?: true;
  /** Reads a page; `query`: what options and filters set, and the place in the list. */
  readonly read: (
    at: At<O> & { readonly query: Given<O> & FilterValues<F> & Place },
  ) => Promise<Page<Item>>;
  readonly columns: readonly Column<Item>[];
  /** The output if nothing matches. */
  readonly empty: string | ((given: Given<O>) => string);
}

const EACH = "print one JSON object a line";

interface Place {
  limit: number;
  cursor?: string;
}

/** Declares a command that prints a list. */
export function lists<
  Item,
  O extends Options = Record<never, never>,
  F extends Filters = Record<never, never>,
>(declared: Lists<O, F, Item>): Verb {
  const { filters, inOrder, limit, read, columns, empty } = declared;
  return (noun) => {
    const made = (command: Command) => {
      withWideOption(command);
      if (filters && inOrder) withFilters(command, filters, inOrder);
      if (filters) withFilters(command, filters);
    };
    const command = commandOf(noun, { json: EACH, ...declared }, made, limit, async (at) => {
      const values = command.opts();
      const narrowed = filters ? await filterQuery(at.client, filters, values) : {};
      await printList(
        (place) => read({ ...at, query: { ...place, ...narrowed, ...at.given } as never }),
        values,
        { columns, empty: typeof empty === "string" ? empty : empty(at.given) },
      );
    });
  };
}

/** A verb that calls an operation, once for each that its first argument names. */
interface Calls<O extends Options, Answer> extends Declared<O> {
  readonly call: (at: At<O>) => Promise<Answer>;
  /** The output for the answer, in order; absent: its members are printed. */
  readonly done?: (answer: Answer, at: At<O>) => string | readonly Said[];
  /** The printed part of the answer, if not all. */
  readonly written?: (answer: Answer, at: At<O>) => object | Promise<object>;
  /** The output if there is nothing to print. */
  readonly nothing?: string;
  /** The output of `--json`, if not the answer. */
  readonly printed?: (answer: Answer, at: At<O>) => unknown;
  /** Of several: what those are not that were refused, such as `revoked`. */
  readonly past?: string;
}

/** A line on standard error, unless the output is for a program. */
export type Said =
  | string
  /** On standard output. */
  | { readonly out: string }
  /** On standard error in any case. */
  | { readonly always: string }
  /** The error with which the command always fails after all other output. */
  | { readonly fails: string };

/** Declares a command that calls an operation. */
export function calls<Answer, O extends Options = Record<never, never>>(
  declared: Calls<O, Answer>,
): Verb {
  const { of, call, past } = declared;
  return (noun) => {
    const one = async (at: At<O>) => await report(declared, await call(at), at);
    commandOf(noun, declared, () => {}, undefined, async (at) => {
      if (!of || !past) return await one(at);
      const ids: string[] = [];
      for (const word of at.words) ids.push(await of.idOf?.(at.client, word) ?? word);
      await forEach(of.kind, ids, past, (id) => one({ ...at, id, word: id }));
    });
  };
}

async function report<O extends Options, Answer>(
  { done, written, nothing, printed }: Calls<O, Answer>,
  answer: Answer,
  at: At<O>,
): Promise<void> {
  if (!done && !at.form) {
    // as: what is shown of an answer is one with members.
    const members = await written?.(answer, at) ?? answer as object;
    const isNothing = nothing !== undefined && Object.values(members).every(isEmptyMember);
    return isNothing ? terminal().err(nothing) : await printObject(members);
  }
  if (at.form) await printValues([printed ? printed(answer, at) : answer], at.form);
  const said = done?.(answer, at) ?? [];
  for (const one of typeof said === "string" ? [said] : said) await say(one, at.form !== undefined);
}

async function say(said: Said, isForProgram: boolean): Promise<void> {
  if (typeof said === "string") {
    if (!isForProgram) terminal().err(printable(said));
  } else if ("always" in said) terminal().err(printable(said.always));
  else if ("fails" in said) throw new OperatorError(said.fails);
  else if (!isForProgram) await print(`${said.out}\n`);
}

/** Declares a command that does what no other form says. */
export function runs<O extends Options = Record<never, never>>(
  declared: Declared<O> & { readonly run: (at: At<O>) => Promise<void> },
): Verb {
  return (noun) => void commandOf(noun, declared, () => {}, undefined, declared.run);
}

/** A command on the store or a server, with what `made` adds before its own options. */
function commandOf<O extends Options>(
  noun: Command,
  declared: Declared<O>,
  made: (command: Command) => void,
  limit: true | undefined,
  run: (at: At<O>) => Promise<void>,
): Command {
  const { verb, summary, args = [], of, json, refuses, touches = {}, ...help } = declared;
  // as: without options none are given.
  const options = declared.options ?? {} as O;
  const command = withServerOptions(noun.command(verb)).description(summary);
  for (const one of args) command.addArgument(one);
  made(command);
  for (const { option, no, names } of Object.values(options)) {
    command.addOption(option);
    if (no) command.addOption(no.option);
    if (names) touching(command, { [option.long ?? ""]: names });
  }
  if (limit) command.option("--limit <n>", "so many at the most", toCount);
  if (json) command.option("--json", json);
  touching(command, touches);
  const isSeveral = command.registeredArguments[0]?.variadic ?? false;
  withHelp(command, help, noun.parent ? `keydesk ${noun.name()}` : "keydesk");
  return command.action(async () => {
    const { args: words } = command;
    const given = givenOf(options, command.opts());
    const why = refuses?.(given, words);
    if (why !== undefined) throw new OperatorError(why, { exitCode: 2 });
    const [word = ""] = words;
    await withClient(command.opts(), async ({ client, address }) => {
      const id = isSeveral ? word : await of?.idOf?.(client, word) ?? word;
      const { form } = command.opts<{ form?: Form }>();
      const meant = await foundOf(client, options, given);
      const work = () => run({ client, address, id, words, word, given: meant, form });
      // Of several it is `forEach` that says what is absent.
      await (of && !isSeveral ? forOne(of.kind, id, work) : work());
    });
  });
}

/** Adds what is below a help text. */
function withHelp(
  command: Command,
  { about, examples = [] }: { about?: string; examples?: readonly string[] },
  before: string,
): void {
  const lines = examples.map((one) =>
    `  ${/\bkeydesk [a-z]/.test(one) ? one : `${before} ${one}`}`
  );
  const title = lines.length === 1 ? "Example:" : "Examples:";
  const parts = [about, lines.length > 0 ? [title, ...lines].join("\n") : undefined];
  const text = parts.filter((one) => one !== undefined).join("\n\n");
  if (text !== "") command.addHelpText("after", `\n${text}`);
}
