import { useRef, useState } from "preact/hooks";
import { say } from "../said.ts";
import { announce } from "./announcer.tsx";

/**
 * Copies the text of an element. If the browser refuses (plain http, no permission), the text is
 * selected instead, and no success is shown.
 */
export async function copyFrom(element: HTMLElement | null, text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied.");
    return true;
  } catch {
    if (element) getSelection()?.selectAllChildren(element);
    announce("Selected. Copy it with your keyboard.");
    return false;
  }
}

/**
 * A text with its Copy button: a key, a link, a line for the shell. `secret` marks what is shown
 * once.
 */
export function CopyField({ label, text, lines }: {
  label: string;
  text: string;
  /** True: breaks into lines instead of being cut. */
  lines?: boolean;
}) {
  const value = useRef<HTMLElement>(null);
  const [said, setSaid] = useState("Copy");
  return (
    <div class="copy-field">
      <span class="copy-label">{label}</span>
      <div class="copy-box">
        <code
          ref={value}
          class={lines ? "copy-value has-lines" : "copy-value"}
          // Cut text can be scrolled, so it must take the focus.
          tabIndex={lines ? undefined : 0}
        >
          {text}
        </code>
        <button
          type="button"
          class="copy-button"
          aria-label={say`${said} ${label}`}
          onClick={async () => {
            setSaid(await copyFrom(value.current, text) ? "Copied" : "Selected");
            setTimeout(() => setSaid("Copy"), 2000);
          }}
        >
          {said}
        </button>
      </div>
    </div>
  );
}

/** An id, monospaced, that is copied by a click. `shown`: how it is cut, where it is. */
export function CopyId({ id, shown = id, label }: { id: string; shown?: string; label: string }) {
  const value = useRef<HTMLElement>(null);
  const [done, setDone] = useState(false);
  return (
    <span class="copy-id">
      <code ref={value} title={shown === id ? undefined : id}>{shown}</code>
      <button
        type="button"
        class="icon-button is-small"
        aria-label={say`Copy ${label}`}
        onClick={async () => {
          setDone(await copyFrom(value.current, id));
          setTimeout(() => setDone(false), 1500);
        }}
      >
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="none">
          {done ? <path d="M3.5 8.5l3 3 6-7" stroke="currentColor" stroke-width="1.5" /> : (
            <path
              d="M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2m-7-5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1z"
              stroke="currentColor"
              stroke-width="1.25"
            />
          )}
        </svg>
      </button>
    </span>
  );
}
