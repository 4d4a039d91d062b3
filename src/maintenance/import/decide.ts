import type { Difference } from "./findings.ts";
import type { Imported } from "./imports.store.ts";

/**
 * The decision about an object: it is imported, is as it was, or stays as it is in Keydesk, for a
 * reason.
 */
export type Decision = "add" | "replace" | "same" | { code: Difference; detail: string };

/**
 * Decides about an object that is `there` now. `known`: the digests of its last import; `here`: its
 * present state in Keydesk, undefined if there is none. An object that was changed in Keydesk since
 * its import is never overwritten unless `theirs`.
 */
export function decide(
  { there }: { there: string },
  known: Imported | undefined,
  here: string | undefined,
  theirs: boolean,
): Decision {
  const isUnchangedThere = known?.there === there;
  if (!known) return here === undefined ? "add" : theirs ? "replace" : stays("exists_here");
  if (isUnchangedThere && !theirs) return "same";
  if (here === undefined) return theirs ? "add" : stays("deleted_here");
  if (here === known.here) return isUnchangedThere ? "same" : "replace";
  return theirs ? "replace" : stays("changed_here");
}

function stays(code: Difference): Decision {
  return { code, detail: "" };
}
