import type { Command } from "commander";

/** What may follow: names of files, one of these words, or what nobody can foresee. */
export type Values = "files" | "anything" | readonly string[];

/** A word with what it means. */
export interface Word {
  readonly word: string;
  readonly meaning: string;
}

/** An option; `values` is there where it takes one. */
export interface OptionWord {
  readonly long: string;
  readonly short: string | undefined;
  readonly meaning: string;
  readonly values: Values | undefined;
}

/** A command, and what may be typed behind it. */
export interface CompletionNode {
  /** The words that lead here, none for the program itself. */
  readonly path: readonly string[];
  readonly commands: readonly Word[];
  readonly options: readonly OptionWord[];
  /** What its arguments may be. */
  readonly argument: Values;
}

/** Every command of a program, parents first, as the parser itself knows them. */
export function completionTree(
  command: Command,
  path: readonly string[] = [],
): CompletionNode[] {
  const node: CompletionNode = {
    path,
    commands: command.commands.map((one) => ({ word: one.name(), meaning: one.description() })),
    options: [
      ...command.options.filter(({ hidden }) => !hidden).map((option) => ({
        long: option.long ?? "",
        short: option.short,
        meaning: option.description,
        values: option.required || option.optional
          ? valuesOf(option.flags, option.argChoices)
          : undefined,
      })),
      { long: "--help", short: "-h", meaning: "tell what it takes", values: undefined },
    ],
    argument: argumentOf(command),
  };
  const below = command.commands.flatMap((one) => completionTree(one, [...path, one.name()]));
  return [node, ...below];
}

function argumentOf({ registeredArguments }: Command): Values {
  const [first] = registeredArguments;
  if (!first) return [];
  return valuesOf(`<${first.name()}>`, first.argChoices);
}

/** Files are what the help calls so. */
function valuesOf(flags: string, choices: readonly string[] | undefined): Values {
  if (choices) return choices;
  return /[<[](file|path|folder)\b/.test(flags) ? "files" : "anything";
}

/** The path as the scripts keep it: a blank before each word. */
export function pathText(path: readonly string[]): string {
  return path.map((word) => ` ${word}`).join("");
}
