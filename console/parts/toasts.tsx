import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { wordsOf } from "../api/client.ts";
import { signal } from "../signal.ts";
import { CloseButton } from "./button.tsx";

/** A short message that goes away by itself, with things to do about it. */
export interface Toast {
  text: string;
  /** `bad`: it stays until it is closed. */
  kind?: "bad";
  actions?: readonly { label: string; run: () => void; shortcut?: string }[];
}

const shown = signal<readonly (Toast & { id: number })[]>([]);
let lastId = 0;

/** Long enough to read it and reach for Undo; it waits while the pointer or the focus is on it. */
const LIFE_MS = 10_000;
const MOST = 3;

/** Shows a toast and gives what takes it away. Whatever has an undo says so here. */
export function toast(one: Toast): () => void {
  const id = ++lastId;
  shown.value = [...shown.value, { ...one, id }].slice(-MOST);
  return () => drop(id);
}

/** Says why something failed. */
export function toastFailure(error: unknown): void {
  toast({ text: wordsOf(error), kind: "bad" });
}

/** Whether something is being done, and what does it: why it fails is said. */
export function useBusy(): [busy: boolean, run: (work: () => Promise<unknown>) => Promise<void>] {
  const [busy, setBusy] = useState(false);
  return [busy, async (work) => {
    setBusy(true);
    await work().catch(toastFailure);
    setBusy(false);
  }];
}

function drop(id: number): void {
  shown.value = shown.value.filter((one) => one.id !== id);
}

/**
 * The toasts; they stand once, in the shell, below the list, which is as much shorter meanwhile:
 * never over its rows, the drawer's buttons or the tabs.
 */
export function Toasts() {
  const box = useRef<HTMLElement>(null);
  // Also where a narrower window breaks their lines.
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return;
    const measure = () => document.body.style.setProperty("--toasts", `${current.offsetHeight}px`);
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <section ref={box} class="toasts" aria-label="Messages" aria-live="polite">
      {shown.value.map((one) => <ToastBox key={one.id} toast={one} />)}
    </section>
  );
}

function ToastBox({ toast: { id, text, kind, actions = [] } }: { toast: Toast & { id: number } }) {
  useEffect(() => {
    if (kind === "bad") return;
    const box = document.getElementById(`toast-${id}`);
    const timer = setInterval(() => {
      if (!box?.matches(":hover, :focus-within")) drop(id);
    }, LIFE_MS);
    return () => clearInterval(timer);
  }, [id]);
  return (
    <div id={`toast-${id}`} class={kind === "bad" ? "toast is-bad" : "toast"}>
      <span class="toast-text">{text}</span>
      {actions.map(({ label, run }) => (
        <button
          key={label}
          type="button"
          class="toast-action"
          onClick={() => {
            drop(id);
            run();
          }}
        >
          {label}
        </button>
      ))}
      <CloseButton label="Close message" onClick={() => drop(id)} />
    </div>
  );
}
