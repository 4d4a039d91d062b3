import type { ConfigDiff } from "../client/operations.ts";
import { printable } from "./table.ts";

type Change = ConfigDiff["changes"][number];

/** The forms in which changes are printed. */
export const diffForms = ["text", "json", "markdown", "digest"] as const;

const SIGNS = { create: "+", update: "~", delete: "-" } as const;

/** The changes, for people. */
export function textOf({ changes, loses_access, digest, needs_confirmation }: ConfigDiff): string {
  if (changes.length === 0) return "Nothing would change.\n";
  const lines = changes.flatMap((change) => [
    `${SIGNS[change.action]} ${change.noun} ${change.name}`,
    ...change.members.map((one) => `    ${one.member}: ${movedOf(one)}`),
  ]);
  return [
    ...lines,
    "",
    ...lossesOf(loses_access).map((one) => `Loses access: ${one}`),
    ...needs_confirmation ? [NEEDS] : [],
    `${countsOf(changes)}. Digest: ${digest}`,
    "",
  ].map(printable).join("\n");
}

const NEEDS = "An access token applies this once a person has confirmed the digest.";

/** For a comment on a pull request. */
export function markdownOf(
  { changes, loses_access, digest, needs_confirmation }: ConfigDiff,
  source: string,
): string {
  const title = `### Keydesk: ${code(source)}`;
  if (changes.length === 0) return `${title}\n\nNothing would change.\n`;
  const rows = changes.flatMap((change) => {
    const name = `${SIGNS[change.action]} ${cell(change.noun)} **${cell(change.name)}**`;
    if (change.members.length === 0) return [`| ${name} | | | |`];
    return change.members.map((one, at) =>
      `| ${at === 0 ? name : ""} | ${cell(one.member)} | ${valueCell(one.before)} | ${
        valueCell(one.after)
      } |`
    );
  });
  const losses = lossesOf(loses_access);
  return [
    title,
    "",
    `${countsOf(changes)}.`,
    "",
    ...losses.length > 0
      ? ["> [!WARNING]", "> **Loses access**", ...losses.map((one) => `> - ${cell(one)}`), ""]
      : [],
    "| | Member | Before | After |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    ...needs_confirmation ? [NEEDS, ""] : [],
    `Apply it with ${code(`--expect ${digest}`)}.`,
    "",
  ].join("\n");
}

/** How many things are added, changed and removed. */
export function countsOf(changes: readonly Change[]): string {
  const count = (action: Change["action"]) =>
    changes.filter((change) => change.action === action).length;
  const parts = [
    [count("create"), "to add"],
    [count("update"), "to change"],
    [count("delete"), "to remove"],
  ] as const;
  return parts.filter(([n]) => n > 0).map((part) => part.join(" ")).join(", ");
}

function lossesOf(losing: ConfigDiff["loses_access"]): string[] {
  const of = (n: number, one: string, many: string) =>
    `${n >= 1000 ? "1,000 or more" : n} ${n === 1 ? one : many}`;
  return losing.map(({ plan, because, keys, developers, pending_requests }) =>
    `${plan} (${because}): ${of(keys, "key", "keys")} of ${
      of(developers, "developer", "developers")
    }, ${of(pending_requests, "request waits", "requests wait")}`
  );
}

function movedOf({ before, after }: Change["members"][number]): string {
  return before === undefined ? valueText(after) : `${valueText(before)} -> ${valueText(after)}`;
}

/** Characters of a value, at the most. */
const LONGEST = 200;

function valueText(value: unknown): string {
  if (value === undefined) return "(none)";
  const text = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
}

function valueCell(value: unknown): string {
  return value === undefined ? "" : code(valueText(value));
}

/** A text in a table of Markdown. */
function cell(text: string): string {
  return text.replaceAll(/[\n\r\t]+/g, " ").replaceAll(/([\\`*_{}[\]<>|~@#])/g, "\\$1");
}

/** A text as code in a table: longer fences than any in it. */
function code(text: string): string {
  const line = text.replaceAll(/[\n\r\t]+/g, " ").replaceAll("|", "\\|");
  const fence = "`".repeat(
    Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)) + 1,
  );
  return `${fence}${line.startsWith("`") || line.endsWith("`") ? ` ${line} ` : line}${fence}`;
}
