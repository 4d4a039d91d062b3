import { signal } from "../signal.ts";

const KEY = "keydesk.start";

/** Whether this browser has put the way to the first key away. */
export const startIsAway = signal(read());

/** Puts it away, and keeps that. */
export function putStartAway(): void {
  startIsAway.value = true;
  try {
    localStorage.setItem(KEY, "away");
  } catch {
    // Storage may be forbidden; then it lasts as long as the page.
  }
}

function read(): boolean {
  try {
    return localStorage.getItem(KEY) === "away";
  } catch {
    return false;
  }
}
