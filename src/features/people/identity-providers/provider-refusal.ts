import type { GroupsAnswer } from "./provider-groups.ts";
import type { ProviderTerms } from "./identity-provider.ts";

/**
 * Thrown where a provider says nothing by which anybody may come in. The reason is fit to be shown
 * to an administrator, and to no one else: strangers get one answer for all of them.
 */
export class ProviderRefused extends Error {
  /** `isProblem`: Home reports it too. */
  constructor(
    readonly reason: string,
    readonly isProblem = false,
    readonly by: SaidBy = "provider",
  ) {
    super(reason);
  }
}

/**
 * The source of a refusal: the provider itself, in an answer to this server, or the browser that
 * came back, whose sign-in anyone can have begun and whose words are unproved.
 */
export type SaidBy = "provider" | "browser";

/** How many characters of a provider's text are reported, and of a whole reason. */
const LONGEST_WORD = 200;
const LONGEST_REASON = 600;
/** How many groups are listed by name. */
const MOST_NAMED = 20;

/** A text of a provider's, in quotation marks, on one line. */
export function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "nothing";
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").trim();
  return `"${line.length > LONGEST_WORD ? `${line.slice(0, LONGEST_WORD)}…` : line}"`;
}

/** Why what came of a provider is nothing, as a sentence without its end. */
export function reasonOf(error: unknown): string {
  return reasonIn(error).slice(0, LONGEST_REASON);
}

function reasonIn(error: unknown): string {
  if (error instanceof ProviderRefused) return error.reason;
  const all = [...chainOf(error)];
  const answered = all.find((one) => typeof one.error === "string");
  if (answered) return oauthError(answered);
  const known = all.find((one) => one.message !== undefined && one.code !== undefined) ?? all[0];
  // The innermost says which claim it was.
  const inner = all.findLast((one) => typeof one.message === "string") ?? known;
  const detail = all.find((one) => isObject(one.cause) && !(one.cause instanceof Error))?.cause;
  const words = typeof inner?.message === "string" ? inner.message : "an answer of no use";
  return `${words}${isObject(detail) ? detailOf(words, detail) : ""}`;
}

type Loose = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Loose => typeof value === "object" && value !== null;

/** An error and what caused it, the outermost first. */
function* chainOf(error: unknown): Generator<Loose> {
  // as: its members are read one by one.
  for (let one = error; one instanceof Error; one = one.cause) yield one as unknown as Loose;
}

/** The answer of an OAuth endpoint (RFC 6749, 5.2), with its usual cause. */
function oauthError({ error, error_description: description, status }: Loose): string {
  const said = `${typeof status === "number" ? `status ${status}, ` : ""}${quoted(error)}`;
  const more = typeof description === "string" ? `: ${quoted(description)}` : "";
  // Keycloak has this word, with 401, for a secret that is wrong.
  const isUnknown = status === 401 && error === "unauthorized_client";
  const means = MEANINGS[isUnknown ? "invalid_client" : String(error)];
  return `the provider answered ${said}${more}${means === undefined ? "" : ` (${means})`}`;
}

const MEANINGS: Readonly<Record<string, string>> = {
  invalid_client: "it does not know the client id, or the secret or key is not the client's",
  unauthorized_client: "this client may not do this there",
  invalid_grant: "the code was used, is over, or was made for another redirect URI",
  invalid_scope: "it has no such scope",
  access_denied: "a person, or a rule there, refused",
};

/** The value of a claim, and the expected one. */
function detailOf(words: string, detail: Loose): string {
  const { claims, claim, header, expected, now, status } = detail;
  if (isObject(header) && typeof header.alg === "string") {
    return ` (it is ${quoted(header.alg)}, expected ${listed(expected)})`;
  }
  if (typeof status === "number") return ` (status ${status})`;
  const name = typeof claim === "string" ? claim : /"(\w+)"/.exec(words)?.[1];
  const value = isObject(claims) && name !== undefined ? claims[name] : undefined;
  if (typeof value === "number" && typeof now === "number") {
    const seconds = Math.abs(Math.round(now - value));
    return ` (${seconds} seconds ${value < now ? "before" : "after"} this server's time)`;
  }
  // A nonce is of no one's interest, and of use to another person at the most.
  if (name === "nonce" || value === undefined) return "";
  return ` (it is ${quoted(value)}, expected ${listed(expected)})`;
}

function listed(expected: unknown): string {
  if (Array.isArray(expected)) return expected.slice(0, 10).map(quoted).join(", ");
  return typeof expected === "string" ? quoted(expected) : "another";
}

/** Why groups give nothing, as a sentence without its end. */
export function reasonOfGroups(
  { groups_claim, groups_path, groups_form }: ProviderTerms,
  answered: GroupsAnswer,
  named: readonly string[],
): string {
  const where = [groups_claim, ...groups_path].map(quoted).join(", ");
  switch (answered) {
    case "missing":
      return `no group: the claim ${where} is missing, in the ID token and at the UserInfo endpoint`;
    case "empty":
      return `no group: the claim ${where} is empty`;
    case "incomplete":
      return `the claim ${where} does not name all groups: there are too many`;
    case "named": {
      const some = named.slice(0, MOST_NAMED).map(quoted).join(", ");
      const more = named.length > MOST_NAMED ? ` and ${named.length - MOST_NAMED} more` : "";
      return `no group of the claim ${where} gives anything here: it names ${some}${more}`
        .slice(0, LONGEST_REASON);
    }
    default:
      return `no group: the claim ${where} is ${answered.other}, and ${groups_form} is set`;
  }
}
