import { useEffect } from "preact/hooks";
import { useCounts } from "../api/counts.ts";
import { listed, say } from "../said.ts";
import { signal } from "../signal.ts";
import { shortNumber } from "./tabs.tsx";

/** The title of the open drawer, if any. */
const opened = signal("");

/**
 * The title of the browser's tab: "(3) Ada Byron · Requests · Keydesk". In front stands how
 * many requests wait, for whoever may see them. It never holds a secret.
 */
export function usePageTitle(screen: string): void {
  const waiting = useCounts()?.pending ?? 0;
  const names = listed([opened.value, screen, "Keydesk"].filter((name) => name !== ""), " · ");
  const title = waiting === 0 ? names : say`(${shortNumber(waiting)}) ${names}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** Puts what is open in front of the screen's name, until it is closed. */
export function useOpenedTitle(name: string): void {
  useEffect(() => {
    opened.value = name;
  }, [name]);
  useEffect(() => () => {
    opened.value = "";
  }, []);
}
