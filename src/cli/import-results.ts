/** The last lines of `import tyk plan|run|verify` about both sides, and when they end with 1. */
import type { RequestContext } from "../calls/context.ts";
import type { KindSummary } from "../maintenance/import/import.service.ts";
import type { Comparison } from "../maintenance/import/sides.ts";
import type { Source } from "../maintenance/import/source.ts";
import type { LeftOpen } from "../maintenance/import/user-names.ts";
import { counted } from "./counted.ts";
import { leftOpenSentences, namedKeys } from "./left-open.ts";
import { OperatorError } from "./operator-error.ts";
import { tableLine } from "./table.ts";
import { terminal } from "./terminal.ts";

/**
 * Names kinds that have documents of other organisations alone, and says where most are of others.
 * Throws OperatorError where none that can be read is of this one.
 */
export function reportOrganisations(
  { principal: { org_id } }: RequestContext,
  read: readonly Pick<KindSummary, "kind" | "readable" | "others">[],
): void {
  for (const { kind, readable, others } of read) {
    if (readable > 0 || others === 0) continue;
    terminal().err(`${kind}: none of ${others} documents is of organisation ${org_id}`);
  }
  const [ours, theirs] = [
    read.reduce((sum, { readable }) => sum + readable, 0),
    read.reduce((sum, { others }) => sum + others, 0),
  ];
  if (ours === 0) {
    throw new OperatorError(
      `nothing of organisation ${org_id} is in it${
        theirs > 0 ? `, and ${counted(theirs, "document")} of others` : ""
      }: give this server the id that is, by KEYDESK_ORG_ID at the first start, or name --organisation`,
    );
  }
  if (theirs <= ours) return;
  terminal().err(
    `organisation ${org_id} has ${
      counted(ours, "document")
    } in it, others have ${theirs}: is it the one to import?`,
  );
}

/** So many plans are named, the others counted. */
const MOST_PLANS = 10;

/** Throws OperatorError where active keys name plans that no one knows, which open nothing. */
export function refuseUnknownPlans(plans: readonly { plan: string; keys: number }[]): void {
  if (plans.length === 0) return;
  const named = plans.slice(0, MOST_PLANS).map(({ plan, keys }) =>
    `${tableLine([plan], [])} (${keys})`
  );
  const more = plans.length - named.length;
  throw new OperatorError(
    `active keys name plans that do not exist, so they are denied: ${named.join(", ")}${
      more > 0 ? ` and ${more} more` : ""
    }. Name the source of the plans and run the import again, or add them (keydesk plans add)`,
  );
}

/**
 * Throws OperatorError where user names that came as keys open by the name alone, or may: of what
 * `source` has the sessions of it says so itself.
 */
export function refuseOpen(left: LeftOpen, { kinds }: Source, sides: readonly Comparison[]): void {
  const looked = kinds.has("key");
  const open = looked
    ? sides.flatMap(({ open_by_name }) => open_by_name)
    : left.known.map(({ id }) => id);
  const gone = sides.reduce((sum, side) => sum + side.gone_there, 0);
  const unsure = looked ? Math.min(left.unsure, gone) : left.unsure;
  if (open.length > 0) {
    throw new OperatorError(
      `keys in Keydesk that are user names at the gateway, so that the name alone is valid: ${
        namedKeys(open)
      }. Run the import again, which suspends them`,
    );
  }
  const [sentence] = leftOpenSentences({ ...left, known: [], unsure });
  if (sentence !== undefined) throw new OperatorError(sentence);
}
