import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { signal } from "../signal.ts";

/** The dialog that `ask` put over the page. */
export const asked = signal<VNode | null>(null);

/** Shows it. It stands once, in the shell, and goes with the page that asked. */
export function Asked() {
  const [path] = useLocation();
  useEffect(() => () => {
    asked.value = null;
  }, [path]);
  return asked.value;
}
