import type { MemberNames } from "../../changes/known-members.ts";
import { configurationNames, entryNames } from "../../features/plans/catalogue/member-names.ts";
import { planNames } from "../../features/plans/member-names.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * The known members, for an export without secrets, of documents in which portals keep members of
 * their own.
 */
const known = {
  configuration: configurationNames,
  catalogue_entry: entryNames,
  // Texts of the original's plans, and one of our own.
  plan: { ...planNames, org_id: true, state: true, last_updated: true, when_leaked: true },
} as const satisfies Readonly<Record<string, MemberNames>>;

/**
 * A document without those members that no one here knows and that hold a text, since a text may be
 * a secret, such as the access token of an identity provider. Numbers and yes or no stay. `leaves`
 * hears of each by its place.
 */
export function withoutUnknownTexts(
  of: keyof typeof known,
  document: Members,
  leaves: (place: string) => void,
): Record<string, unknown> {
  return knownPart(of, document, known[of], leaves);
}

function knownPart(
  place: string,
  document: Members,
  names: MemberNames,
  leaves: (place: string) => void,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document)) {
    const inner = Object.hasOwn(names, name) ? names[name] : undefined;
    if (inner === undefined && holdsText(value)) leaves(`${place}.${name}`);
    else if (typeof inner === "object" && isRecord(value)) {
      kept[name] = knownPart(`${place}.${name}`, value, inner, leaves);
    } else kept[name] = value;
  }
  return kept;
}

function holdsText(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  return typeof value === "object" && value !== null && Object.values(value).some(holdsText);
}

function isRecord(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
