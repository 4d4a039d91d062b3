/** The data of a key that tell whether all of its gateways check with Keydesk. */
export interface Origin {
  /** Its issue's id; any other value: it was imported. */
  attempt_id: string;
  /** The id that it was imported under. */
  imported_as: string | null;
  /**
   * The statement of people: 1: it is used at other gateways too, 0: every gateway checks with
   * Keydesk; null: none.
   */
  said_elsewhere: number | null;
  /** Of a gateway that holds it, or is to, and lets it in without asking; null: there is none. */
  gateway_id: string | null;
}

/** The form of an issue's id: 16 random bytes. An imported key has its import's id, or none. */
const ISSUED = /^[0-9a-f]{32}$/;

/**
 * Whether gateways that do not ask Keydesk may open for a key: then its use says nothing, and no
 * one ends it by that. A gateway that holds it is such a gateway, whatever people said. Then what
 * they said counts; else what was imported is known where it came from, unless its plans' rules say
 * that nothing is left there.
 */
export function isValidInOtherSystems(key: Origin, { imported }: { imported: boolean }): boolean {
  if (key.gateway_id !== null) return true;
  if (key.said_elsewhere !== null) return Number(key.said_elsewhere) === 1;
  return !imported && isImported(key);
}

/** Whether a key came from outside. */
export function isImported(
  { attempt_id, imported_as }: Pick<Origin, "attempt_id" | "imported_as">,
): boolean {
  return imported_as !== null || !ISSUED.test(attempt_id);
}
