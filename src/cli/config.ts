import { Argument } from "commander";
import type { Command } from "commander";
import type { Client } from "../client/keydesk-client.ts";
import type { ConfigDiff } from "../client/operations.ts";
import { countsOf, diffForms, markdownOf, textOf } from "./config-changes.ts";
import { adopt, readDeclarations, referencesOf, yamlOf } from "./declaration-files.ts";
import { printValues } from "./forms.ts";
import { calls, lists, noun, runs } from "./noun.ts";
import { OperatorError } from "./operator-error.ts";
import { choice, flag, opt } from "./options.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";
import type { Touched } from "./touched.ts";

/** The exit code where something would change. */
const WOULD_CHANGE = 2;

const FILES =
  `A file is YAML or JSON; several files, a folder's and - (standard input) are joined. Members that are left
out stay as they are. \${env:NAME} and \${file:PATH} mean values that no diff shows.`;

const touches: Touched = { arguments: "declaration" };

const common = {
  name: opt("--name <name>", "what the files are called together; the file's or folder's name"),
  prune: flag("--prune", "remove what the same files made and no longer declare"),
};

/** The body of both commands. */
async function bodyOf(
  words: readonly string[],
  { name, prune = false }: { name?: string | undefined; prune?: boolean | undefined },
) {
  const declared = await readDeclarations(words);
  const source = nameOf(name ?? declared.name);
  const { config, documents } = declared;
  return { config, references: await referencesOf(documents), source, prune };
}

function nameOf(name: string | undefined): string {
  if (name !== undefined) return name;
  throw new OperatorError("say by --name what these files are called together", { exitCode: 2 });
}

/** `keydesk diff`. */
export const addDiffCommand = (program: Command): void =>
  runs({
    verb: "diff <file...>",
    summary:
      "compare files that declare the organisation with it: what would change, who loses access",
    touches,
    options: {
      ...common,
      format: choice(
        "--format <form>",
        "text (the default), json, markdown or the digest alone",
        diffForms,
      ),
    },
    about: `${FILES}

Exit codes: 0 nothing would change, 2 something would, 1 it failed.`,
    examples: [
      "keydesk diff platform.yaml",
      "keydesk diff config/ --format markdown >comment.md",
    ],
    async run({ client, words, given }) {
      const body = await bodyOf(words, given);
      const diff = await client.diffConfig({ body });
      await print(formed(diff, given.format, body.source));
      if (diff.changes.length === 0) return;
      throw new OperatorError(`${body.source}: ${countsOf(diff.changes)}`, {
        exitCode: WOULD_CHANGE,
      });
    },
  })(program);

function formed(
  diff: ConfigDiff,
  format: typeof diffForms[number] = "text",
  source: string,
): string {
  if (format === "digest") return `${diff.digest}\n`;
  if (format === "json") return `${JSON.stringify(diff)}\n`;
  return format === "markdown" ? markdownOf(diff, source) : textOf(diff);
}

/** `keydesk apply`. */
export const addApplyCommand = (program: Command): void =>
  runs({
    verb: "apply <file...>",
    summary: "bring the organisation to what files declare, whole or not at all",
    touches,
    options: {
      ...common,
      yes: flag("--yes", "do not ask"),
      expect: opt("--expect <digest>", "only what was reviewed; it asks no more"),
      revision: opt(
        "--revision <revision>",
        "of the files, such as a commit; the audit log has it",
      ),
    },
    json: "print what was changed as JSON",
    about: `${FILES}

What needs a person who has just signed in is applied by an access token only once one has confirmed the
digest in the console.`,
    examples: [
      "keydesk apply platform.yaml",
      `keydesk apply config/ --expect "$digest" --revision "$(git rev-parse --short HEAD)"`,
    ],
    async run({ client, words, given, form }) {
      const body = await bodyOf(words, given);
      const diff = await client.diffConfig({ body });
      const { expect = diff.digest, yes, revision = "" } = given;
      if (given.expect === undefined && !yes && diff.changes.length > 0) {
        terminal().err(textOf(diff));
        await ask();
      }
      const applied = await client.applyConfig({ body: { ...body, expect, revision } });
      if (form) return await printValues([applied], form);
      const { changes } = applied;
      terminal().err(
        changes.length === 0
          ? `Nothing to change: the organisation is as ${body.source} says.`
          : `Applied ${body.source}: ${
            countsOf(changes).replaceAll("to add", "added")
              .replaceAll("to change", "changed").replaceAll("to remove", "removed")
          }.`,
      );
    },
  })(program);

/** Asks at the terminal. Throws OperatorError for anything but yes. */
async function ask(): Promise<void> {
  const { isErrTerminal, input, draw } = terminal();
  if (!isErrTerminal) {
    throw new OperatorError("say --yes, or what was reviewed by --expect", { exitCode: 2 });
  }
  draw("Apply this? Type yes: ");
  const reader = input.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  if (new TextDecoder().decode(value).trim() !== "yes") {
    throw new OperatorError("nothing was applied");
  }
}

/** `keydesk config`. */
export const addConfigCommands = noun({
  name: "config",
  summary: "what files manage of the organisation; see diff, apply and export config",
  examples: ["managed", "adopt platform.yaml", "rule refuse"],
  verbs: [
    lists({
      verb: "managed",
      summary: "list what files manage, and what was changed otherwise since",
      read: async ({ client }) => ({ data: (await client.getManagedConfig()).data }),
      columns: [
        { head: "KIND", width: 24, of: "kind" },
        { head: "SOURCE", width: 24, of: "source" },
        { head: "REVISION", width: 10, of: "revision", extra: 1 },
        { head: "DRIFT", width: 20, of: ({ drift, drifted_at }) => driftWord(drift, drifted_at) },
        { head: "NAME", of: "name" },
      ],
      empty: "No file manages anything here.",
    }),
    runs({
      verb: "adopt <file...>",
      summary: "write into the files what is so instead of what they declare",
      touches: { arguments: "write" },
      options: { name: common.name },
      about:
        `Comments and all else in the files stay. What they declare and is no longer there is taken out. Values of
references stay. Then nothing would change, and keydesk apply ends the drift.`,
      examples: ["adopt platform.yaml"],
      run: ({ client, words, given }) => adoptInto(client, words, given.name),
    }),
    calls({
      verb: "rule",
      args: [new Argument("<rule>", "what becomes of others' changes").choices(["warn", "refuse"])],
      summary: "set whether changes of managed things by anybody but their file are refused",
      json: "print JSON",
      call: ({ client, word }) =>
        client.setConfigRule({ body: { changes: word === "refuse" ? "refuse" : "warn" } }),
      done: ({ changes }) =>
        changes === "refuse"
          ? "Changes of what a file manages are refused."
          : "Changes of what a file manages are made, and shown as drift.",
    }),
    calls({
      verb: "confirm <digest>",
      summary: "confirm a change by a file that waits for a person, at the server's machine",
      json: "print JSON",
      call: ({ client, word: digest }) => client.confirmConfigReview({ digest }),
      done: ({ digest }) => `Confirmed: an access token may apply ${digest} within a day.`,
    }),
  ],
});

function driftWord(drift: readonly { member: string }[], drifted_at: string | null): string {
  if (drift.length > 0) return drift.map(({ member }) => member).join(", ");
  return drifted_at === null ? "-" : "changed";
}

async function adoptInto(
  client: Client,
  words: readonly string[],
  name: string | undefined,
): Promise<void> {
  const { config, documents, ...declared } = await readDeclarations(words);
  const source = nameOf(name ?? declared.name);
  // No value is needed: the value of a reference is not adopted.
  const references = Object.fromEntries(namesOf(config).map((one) => [one, "unknown"]));
  const { changes } = await client.diffConfig({ body: { config, references, source } });
  const adopted = changes.map(({ kind, index, action, members }) => ({
    kind,
    index: index ?? 0,
    gone: action === "create",
    members: action === "create" ? {} : Object.fromEntries(
      members.filter(({ before }) => before !== HIDDEN).map((one) => [one.member, one.before]),
    ),
  }));
  const files = await adopt(documents, adopted);
  terminal().err(
    files.length === 0
      ? "Nothing to adopt."
      : `Changed ${files.join(", ")}; keydesk diff says the rest.`,
  );
}

const HIDDEN = "(hidden)";

function namesOf(config: object): string[] {
  return [...JSON.stringify(config).matchAll(/\$\{((?:env|file):[^{}\n"\\]{1,500})\}/g)]
    .map(([, name = ""]) => name);
}

/** `keydesk export config`. */
export const addExportConfigCommand = (command: Command): void =>
  runs({
    verb: "config",
    summary: "print the organisation as a file for diff and apply, without secrets",
    json: "print JSON instead of YAML",
    options: {
      only: opt("--only <members>", "only these members, with commas between them", namesIn),
    },
    examples: [
      "keydesk export config >platform.yaml",
      "keydesk export config --only plans,apis --context staging",
    ],
    async run({ client, address, form, given: { only } }) {
      const config = onlyOf(await client.getConfig(), only);
      await print(
        form === "json"
          ? `${JSON.stringify(config, null, 2)}\n`
          : yamlOf(config, `${address}/v1/config/schema`),
      );
    },
  })(command);

function namesIn(text: string): string[] {
  return text.split(",").map((name) => name.trim()).filter((name) => name !== "");
}

function onlyOf(config: Record<string, unknown>, only: readonly string[] | undefined) {
  if (!only) return config;
  const unknown = only.find((name) => !Object.hasOwn(config, name));
  if (unknown !== undefined) {
    const message = `--only ${unknown}: expected some of ${Object.keys(config).join(", ")}`;
    throw new OperatorError(message, { exitCode: 2 });
  }
  return Object.fromEntries(
    Object.entries(config).filter(([name]) => name === "version" || only.includes(name)),
  );
}
