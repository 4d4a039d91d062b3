/** Output for programs: `--json` and `-o json`, which are the same, and `-o yaml`. */
import { type Command, Option } from "commander";
import { print } from "./standard-output.ts";

/** A form of output that programs read. Without one it is text for people. */
export type Form = "json" | "yaml";

/**
 * Adds `-o json|yaml` to each command that has `--json`, beside `wide` where it prints a table, and
 * has its action find the form as `form`.
 */
export function withForms(program: Command): Command {
  for (const command of program.commands.flatMap(allOf)) {
    if (!command.options.some(({ long }) => long === "--json")) continue;
    const wide = command.options.find(({ long }) => long === "--output");
    if (wide) wide.choices(["json", "yaml", "wide"]);
    else {
      const meaning = "json: as with --json; yaml: the same as YAML";
      command.addOption(new Option("-o, --output <form>", meaning).choices(["json", "yaml"]));
    }
  }
  return program.hook("preAction", (_, command) => {
    const { json, output } = command.opts<{ json?: boolean; output?: string }>();
    const form = output === "yaml" ? output : json || output === "json" ? "json" : undefined;
    command.setOptionValue("form", form);
    // An action that reads this one would miss the others.
    command.setOptionValue("json", undefined);
  });
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

/** Prints values: a line of JSON for each, or a YAML document. */
export async function printValues(values: readonly unknown[], form: Form): Promise<void> {
  await print(await textOf(values, form));
}

/** As `printValues` prints them. Nothing of YAML is loaded for JSON. */
export async function textOf(values: readonly unknown[], form: Form): Promise<string> {
  const texts = values.map((value) => JSON.stringify(value));
  if (form === "json") return texts.map((text) => `${text}\n`).join("");
  const { stringify } = await import("yaml");
  // Quoted where YAML 1.1 reads another value; long texts and repeated values are written out.
  const options = { compat: "yaml-1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;
  return texts.map((text) => `---\n${stringify(JSON.parse(text), options)}`).join("");
}
