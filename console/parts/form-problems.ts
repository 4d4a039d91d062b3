import { PlainFailure } from "../../src/kernel/failure-plain.ts";
import { wordsOf } from "../api/client.ts";
import { listed, say } from "../said.ts";

/** Problems by field, and the ones without a field. */
export interface FormProblems {
  readonly fields: Readonly<Record<string, string>>;
  readonly rest: string;
}

/** Nothing is wrong. */
export const noProblems: FormProblems = { fields: {}, rest: "" };

/** Problems that a form finds before it calls the server: a sentence by field. */
export class Unfit extends Error {
  constructor(readonly fields: Readonly<Record<string, string>>) {
    super("Something is missing.");
  }
}

/**
 * A failure by field. The server names members at the beginning of each detail ("email: must not be
 * empty", "mail.from: …"); `places` says which field shows what: by member with what it is a member
 * of, by the outermost, or by the failure's code. What has no place is said for the whole form.
 */
export function problemsOf(error: unknown, places: Readonly<Record<string, string>>): FormProblems {
  if (error instanceof Unfit) return { fields: error.fields, rest: "" };
  if (!(error instanceof PlainFailure)) return { fields: {}, rest: wordsOf(error) };
  const field = places[error.code];
  if (field !== undefined) return { fields: { [field]: error.message }, rest: "" };
  const fields: Record<string, string> = {};
  const rest: string[] = [];
  for (const detail of error.details) {
    const [, path = "", member = "", text = detail] =
      /^(([a-z_]+)[a-z_.]*)[^:]*: (.*)$/s.exec(detail) ?? [];
    const place = places[path] ?? places[member];
    if (place === undefined) rest.push(detail);
    else fields[place] ??= sentence(text);
  }
  const isPlaced = Object.keys(fields).length > 0 || rest.length > 0;
  return { fields, rest: isPlaced ? listed(rest.map(sentence), " ") : wordsOf(error) };
}

function sentence(text: string): string {
  return say`${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
