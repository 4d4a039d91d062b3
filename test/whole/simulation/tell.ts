import { createHash } from "node:crypto";
import type { Decision } from "../history/committee.ts";
import type { Table } from "../history/committee-table.ts";
import type { Change, History, Sight, Verdict } from "../history/history.ts";

/** A short text that two lists of lines have in common only where they are the same. */
export class Digest {
  readonly #hash = createHash("sha256");
  #text: string | undefined;

  /** What comes after the text was taken is of a process that ends. */
  add(line: string): void {
    if (this.#text === undefined) this.#hash.update(`${line}\n`);
  }

  text(): string {
    return this.#text ??= this.#hash.digest("hex").slice(0, 16);
  }
}

/** A line for each call, in the order of their beginnings. Requests are told by short names. */
export function tellHistory({ changes, sights, verdicts }: History): string[] {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `#${names.size + 1}`;
    names.set(id, name);
    return name;
  };
  const seen = sights.filter(({ kind }) => kind === "read");
  return [...changes, ...seen, ...verdicts].sort((a, b) => a.begin - b.begin).map((one) => {
    const from = one.begin.toFixed(3).padStart(10);
    const to = one.end === Infinity ? "  no answer" : one.end.toFixed(3).padStart(11);
    return `${from}${to}  ${one.kind} ${nameOf(one.id)}: ${whatOf(one)}`;
  });
}

/** The same of a committee's calls. */
export function tellDecisions({ members }: Table, decisions: readonly Decision[]): string[] {
  const names = new Map(members.map(({ id, name }) => [id, name]));
  return decisions.map(({ call, once, kind, id, by, terms, begin, end, outcome, told }) => {
    const from = begin.toFixed(3).padStart(10);
    const to = end === Infinity ? "  no answer" : end.toFixed(3).padStart(11);
    const who = names.get(by) ?? "the desk";
    const whole = once === call ? call : `${call} (${once})`;
    return `${from}${to}  ${whole} ${kind} ${names.get(id) ?? id} by ${who} ` +
      `${JSON.stringify(terms)}: ${outcome} ${told.slice(0, 200)}`;
  });
}

function whatOf(one: Change | Sight | Verdict): string {
  if ("outcome" in one) return [one.outcome, one.value, one.why].filter(Boolean).join(" ");
  if ("verdict" in one) return one.verdict;
  return `${one.value ?? "absent"}${one.approved ? ", approved" : ""}`;
}
