/**
 * The form in which the texts of a key request are stored, which no other file knows. `head` is
 * JSON text up to the value of `approved`, `tail` goes on behind that value up to
 * `portal_developer`. A list is shown by putting stored texts side by side, without parsing them
 * (decision 6).
 */
import type { CatalogueEntry } from "../plans/catalogue/catalogue-entry.ts";
import type { KeyRequestTerms } from "./key-request.ts";

/** The two texts of a request. */
export interface StoredTexts {
  head: string;
  tail: string;
}

/** The members in front of `approved`. */
interface HeadMembers {
  id: string;
  key: string;
  org_id: string;
  for_api: string;
  for_plan: string;
  apply_policies: readonly string[];
  remove_policies: readonly string[];
  by_user: string;
  fields: Readonly<Record<string, string>>;
}

/** The members behind `approved`; an `oauth_info` that is undefined is nowhere. */
interface TailMembers {
  date_created: string;
  version: string;
  jwt_secret: string;
  certificate: string;
  oauth_info: { redirect_uri: string } | undefined;
}

/** The members that stay when a request is replaced. */
export interface Kept {
  date_created: string;
  version: string;
}

/** The texts of these members. */
export function storedTexts(head: HeadMembers, tail: TailMembers): StoredTexts {
  return {
    head: headText(head),
    tail: `,${JSON.stringify(tail).slice(1, -1)}`,
  };
}

/** The request as JSON text (specification 2.3): its members, then `more`, JSON text of others. */
export function storedText(row: StoredTexts, approved: boolean, more: string): string {
  return `${row.head}${approved}${row.tail},${more}}`;
}

/**
 * A head as `/v1` shows it: `plans` and `remove_plans` are its words. In a text of JSON a quote has
 * a backslash before it, so the first of each is the member.
 */
export function inPlanWords(head: string): string {
  return head.replace('"apply_policies":[', '"plans":[')
    .replace('"remove_policies":[', '"remove_plans":[');
}

function headText(head: HeadMembers): string {
  return `${JSON.stringify(head).slice(0, -1)},"approved":`;
}

/** The members in front of `approved`. */
export function parseHead(row: { head: string }): HeadMembers {
  // as: storedTexts wrote exactly this.
  return JSON.parse(`${row.head}false}`) as HeadMembers;
}

/** A declined request as it is shown where such are: not approved, with the reason in `fields`. */
export function asDeclined<
  Row extends { head: string; approved: number; decision_reason: string | null },
>(row: Row): Row {
  const members = parseHead(row);
  const fields = { ...members.fields };
  if (row.decision_reason) fields.decline_reason = row.decision_reason;
  return { ...row, approved: 0, head: headText({ ...members, fields }) };
}

/** The members behind `approved`. */
export function parseTail(row: { tail: string }): TailMembers {
  // as: storedTexts wrote exactly this.
  return JSON.parse(`{${row.tail.slice(1)}}`) as TailMembers;
}

/** A tail with other values of some members. */
export function patchTail(row: { tail: string }, changed: Partial<TailMembers>): string {
  return `,${JSON.stringify({ ...parseTail(row), ...changed }).slice(1, -1)}`;
}

/** The terms out of the two texts. */
export function termsOf(row: StoredTexts): KeyRequestTerms {
  const { key, by_user, for_plan, apply_policies, remove_policies, fields } = parseHead(row);
  const { oauth_info } = parseTail(row);
  return {
    key,
    by_user,
    plans: [...new Set([for_plan, ...apply_policies])],
    remove_policies: [...remove_policies],
    oauth: oauth_info !== undefined,
    redirect_uri: oauth_info?.redirect_uri ?? "",
    app_description: fields.oauth_app_description ?? "",
    use_case: fields.oauth_use_case ?? "",
  };
}

/** The date and version out of a tail, for a replacement that does not name them. */
export function keptOf(row: { tail: string }): Kept {
  const { date_created, version } = parseTail(row);
  return { date_created, version };
}

/**
 * The entries that came as `catalogues`, one line each: policy_id, a tab, JSON text. Portals send
 * the entry of the request among them again: the text of that one is left out.
 */
export function storedCatalogues(
  entries: readonly CatalogueEntry[],
  sent_entry: string | null,
): string {
  return entries.map((entry) => {
    const text = JSON.stringify(entry);
    return `${entry.policy_id}\t${text === sent_entry ? "" : text}`;
  }).join("\n");
}

/** The plan and the JSON text of each entry that came as `catalogues`. */
export function sentCatalogues(
  row: { sent_entry: string | null; sent_catalogues: string },
): { policy_id: string; text: string }[] {
  if (row.sent_catalogues === "") return [];
  return row.sent_catalogues.split("\n").map((line) => {
    const tab = line.indexOf("\t");
    const text = line.slice(tab + 1);
    return { policy_id: line.slice(0, tab), text: text === "" ? row.sent_entry ?? "" : text };
  });
}
