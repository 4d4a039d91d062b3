import { useEffect } from "preact/hooks";
import { signal } from "../signal.ts";

/** A dialog that is asked for from outside of its screen. */
interface Wanted {
  /** The screen's path. */
  readonly place: string;
  readonly act: string;
  /** The id of its object; "": none yet. */
  readonly id: string;
}

const wanted = signal<Wanted | undefined>(undefined);

/**
 * Asks a screen for one of its dialogs; it opens once the screen stands and has read what it is
 * about.
 */
export function want(place: string, act: string, id = ""): void {
  wanted.value = { place, act, id };
}

/**
 * Opens the requested part of a screen. `open` gives false while it can't yet. The wait ends with
 * the screen.
 */
export function useWanted(
  place: string,
  open: (act: string, id: string) => boolean | void,
): void {
  const now = wanted.value;
  useEffect(() => {
    if (now?.place !== place || open(now.act, now.id) === false) return;
    wanted.value = undefined;
  });
  useEffect(() => () => {
    if (wanted.value?.place === place) wanted.value = undefined;
  }, []);
}
