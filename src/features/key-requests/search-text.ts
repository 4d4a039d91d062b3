import { parseHead } from "./stored-request.ts";

/** The searched columns of a key request. */
interface SearchedRow {
  id: string;
  by_user: string;
  for_plan: string;
  head: string;
  sent_entry: string | null;
  /** The live developer's document, else the one that was sent, if any. */
  developer: string | null;
}

/** Characters of one request that are searched; what answers say further on is not found. */
const LONGEST = 8000;

/** The texts that a search looks at, in lower case, one a line. */
export function searchText(row: SearchedRow): string {
  const sent = parseHead(row);
  const entry = parse(row.sent_entry);
  const { email, fields } = parse(row.developer);
  const texts = [
    row.id,
    row.by_user,
    email,
    row.for_plan,
    ...sent.apply_policies,
    sent.for_api,
    entry.api_id,
    entry.name,
    ...Object.values(sent.fields),
    // Their names, as they signed up with them.
    ...Object.values(fields ?? {}),
  ].filter((text) => typeof text === "string" && text !== "");
  return [...new Set(texts)].join("\n").slice(0, LONGEST).toLowerCase().toWellFormed();
}

function parse(document: string | null): Record<string, unknown> {
  // as: developers' documents and catalogue entries are objects, written by us.
  return document === null ? {} : JSON.parse(document) as Record<string, unknown>;
}
