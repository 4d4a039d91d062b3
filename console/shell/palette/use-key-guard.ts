import { useLayoutEffect, useRef } from "preact/hooks";
import { keyIn } from "./key-shape.ts";

/**
 * Keeps keys out of the field: what is pasted, dropped or typed there and has the shape of one is
 * taken before it is drawn. While a mask stands there, a letter begins anew and a deletion empties
 * the field.
 */
export function useKeyGuard(
  box: { current: HTMLInputElement | null },
  isMasked: boolean,
  onKey: (key: string) => void,
  onWrite: (text: string) => void,
): void {
  const newest = useRef({ isMasked, onKey, onWrite });
  newest.current = { isMasked, onKey, onWrite };
  useLayoutEffect(() => {
    const input = box.current;
    const before = (event: InputEvent) => {
      if (!input) return;
      const { isMasked, onKey, onWrite } = newest.current;
      const { selectionStart: from, selectionEnd: to, value } = input;
      const added = event.data ?? event.dataTransfer?.getData("text") ?? "";
      const all = isMasked ? added : value.slice(0, from ?? 0) + added + value.slice(to ?? 0);
      const key = added === "" ? undefined : keyIn(added) ?? keyIn(all);
      if (key !== undefined) onKey(key);
      else if (isMasked) onWrite(added);
      else return;
      event.preventDefault();
    };
    input?.addEventListener("beforeinput", before);
    return () => input?.removeEventListener("beforeinput", before);
  }, []);
}
