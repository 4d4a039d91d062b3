import type { CursorCover } from "../kernel/cursor.ts";
import type { RequestContext } from "./context.ts";

/**
 * Encrypts the cursors of a caller with a scope, who could otherwise read in them the rows that a
 * page left out; undefined: nothing to hide. Good for this caller alone.
 */
export function cursorCover(
  { sealer, principal: { org_id, user_id, covers } }: RequestContext,
): CursorCover | undefined {
  if (!covers) return undefined;
  const place = { table: "cursors", org_id, id: user_id, column: "place" };
  return {
    hide: (text) => sealer.seal(place, text),
    open: (hidden) => sealer.open(place, hidden),
  };
}
