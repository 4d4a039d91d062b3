import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/** One sentence a problem, `fields.team: expected a string`, at most twenty. Never repeats a value. */
export function describeIssues(issues: readonly Issue[]): string[] {
  return issues.slice(0, 20).map((issue) => `${pathText(issue.path)}: ${describe(issue)}`);
}

function pathText(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    text += typeof part === "number" ? `[${part}]` : `${text === "" ? "" : "."}${String(part)}`;
  }
  return text === "" ? "body" : text.slice(0, 200).toWellFormed();
}

const NAMES: Record<string, string> = {
  string: "a string",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
  int: "an integer",
  number: "a number",
};

function describe(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.startsWith("Invalid input")
        ? `expected ${NAMES[issue.expected] ?? issue.expected}`
        : issue.message;
    case "too_big":
      return `expected at most ${issue.maximum} ${issue.origin === "string" ? "characters" : ""}`
        .trim();
    case "too_small":
      return issue.origin === "string" && issue.minimum === 1
        ? "must not be empty"
        : `expected at least ${issue.minimum}`;
    case "invalid_key":
      return `${describe(issue.issues[0] ?? issue)} (as a member's name)`;
    case "invalid_union":
      return "expected JSON";
    default:
      return issue.message;
  }
}
