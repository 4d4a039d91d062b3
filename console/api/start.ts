import { signal } from "../signal.ts";
import { keep, kept } from "./kept.ts";

const NAME = "keydesk.start";

/** Whether this browser has put the way to the first key away. */
export const startIsAway = signal(kept(NAME) !== null);

/** Puts it away, and keeps that. */
export function putStartAway(): void {
  startIsAway.value = true;
  keep(NAME, "away");
}
