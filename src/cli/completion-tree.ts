import type { Command } from "commander";

/**
 * The possible next words: names of files, one of these words, several of them with commas between,
 * or free text.
 */
export type Values = "files" | "anything" | readonly string[] | {
  readonly list: readonly string[];
};

/** A word with what it means. */
interface Word {
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
  /** The completion of its arguments. */
  readonly argument: Values;
}

/**
 * Every command of a program, parents first, as the parser itself knows them; `help` is followed by
 * all others.
 */
export function completionTree(program: Command): CompletionNode[] {
  const nodes = treeOf(program, []);
  return nodes.flatMap((node) => {
    if (node.path.join(" ") !== "help") return [node];
    const others = nodes.filter(({ path }) => path[0] !== "help");
    return others.map(({ path, commands }) => ({
      path: ["help", ...path],
      commands: commands.filter(({ word }) => word !== "help"),
      options: path.length === 0 ? node.options : [],
      argument: [],
    }));
  });
}

function treeOf(command: Command, path: readonly string[]): CompletionNode[] {
  const argument = argumentOf(command);
  // If commands follow, one of them or a choice of the argument comes next.
  const choices = command.commands.length > 0 && Array.isArray(argument) ? argument : [];
  const [first] = command.registeredArguments;
  const node: CompletionNode = {
    path,
    commands: [
      ...command.commands.map((one) => ({ word: one.name(), meaning: one.description() })),
      ...choices.map((word) => ({ word, meaning: first?.description ?? "" })),
    ],
    options: [
      ...command.options.filter(({ hidden }) => !hidden).map((option) => ({
        long: option.long ?? "",
        short: option.short,
        meaning: option.description,
        values: option.required || option.optional
          ? valuesOf(option.flags, option.argChoices, option.description)
          : undefined,
      })),
      { long: "--help", short: "-h", meaning: "show what it takes", values: undefined },
    ],
    argument: choices.length > 0 ? [] : argument,
  };
  const below = command.commands.flatMap((one) => treeOf(one, [...path, one.name()]));
  return [node, ...below];
}

function argumentOf({ registeredArguments }: Command): Values {
  const [first] = registeredArguments;
  if (!first) return [];
  return valuesOf(`<${first.name()}>`, first.argChoices);
}

/** Files and lists are what the help calls so. */
function valuesOf(
  flags: string,
  choices: readonly string[] | undefined,
  description = "",
): Values {
  if (choices) return /\bseparated by commas\b/.test(description) ? { list: choices } : choices;
  return /[<[](file|path|folder)\b/.test(flags) ? "files" : "anything";
}

/** The path as the scripts keep it: a blank before each word. */
export function pathText(path: readonly string[]): string {
  return path.map((word) => ` ${word}`).join("");
}
