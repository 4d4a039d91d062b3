import { Buffer } from "node:buffer";
import { Failure } from "./failure.ts";

/**
 * The end of a page: the value that sorts its last row, and that row's id, which decides among
 * equals.
 */
export interface Place {
  sort: string;
  id: string;
}

/** How places are kept from those who hand them back. Absent: they can be read. */
export interface CursorCover {
  hide(text: string): string;
  /** The hidden text. Throws for any other text. */
  open(hidden: string): string;
}

/**
 * A place as text that a client hands back unread. `order` names the list's order: a place is good
 * for no other.
 */
export function writeCursor(order: string, { sort, id }: Place, cover?: CursorCover): string {
  const text = JSON.stringify([order, sort, id]);
  return Buffer.from(cover ? cover.hide(text) : text).toString("base64url");
}

/** Whether writeCursor wrote this text for this order. */
export function isCursor(text: string, order: string, cover?: CursorCover): boolean {
  return placeOf(text, order, cover) !== undefined;
}

/** The place that writeCursor wrote for this order. Throws `invalid_input` for any other text. */
export function readCursor(text: string, order: string, cover?: CursorCover): Place {
  const place = placeOf(text, order, cover);
  if (!place) throw wrongCursor();
  return place;
}

/** The failure of a cursor at which no page of the list can have ended. */
export function wrongCursor(): Failure {
  const message = "cursor: expected the next_cursor of the same list";
  return new Failure("invalid_input", { message, details: [message] });
}

function placeOf(text: string, order: string, cover?: CursorCover): Place | undefined {
  try {
    const written = Buffer.from(text, "base64url").toString();
    const [of, sort, id] = JSON.parse(cover ? cover.open(written) : written);
    const texts = [sort, id].every((one) => typeof one === "string" && one.isWellFormed());
    if (of === order && texts && !`${sort}${id}`.includes("\0")) return { sort, id };
  } catch {
    // No cursor at all.
  }
  return undefined;
}
