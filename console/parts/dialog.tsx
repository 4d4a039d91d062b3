import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { cover } from "./cover.ts";

/**
 * A modal dialog on the browser's own `<dialog>`: focus goes in and comes back, everything behind
 * is inert. Shown as long as it is rendered. `onClose` is what Esc, the backdrop and a form of the
 * method "dialog" do; without it the dialog stays until its own buttons end it.
 */
export function Dialog({ title, note, wide, palette, onClose, children }: {
  title: string;
  note?: ComponentChildren;
  wide?: boolean;
  /** It looks as `.is-palette` says, and its title is only heard. */
  palette?: boolean;
  onClose?: (() => void) | undefined;
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    const before = document.activeElement;
    const uncover = cover("dialog");
    dialog.showModal();
    return () => {
      // Before it leaves the document: else the focus would fall to <body>.
      dialog.close();
      uncover();
      if (
        before instanceof HTMLElement && before.isConnected && document.activeElement !== before
      ) {
        before.focus();
      }
      // Opened by a key while nothing had it, or from what is gone by now: from the content Tab
      // goes on.
      const { activeElement } = document;
      if (activeElement === document.body || dialog.contains(activeElement)) {
        document.getElementById("content")?.focus({ preventScroll: true });
      }
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={`dialog${wide ? " is-wide" : ""}${palette ? " is-palette" : ""}`}
      aria-labelledby={titleId}
      {
        // Esc twice would end any other dialog, whatever the page says.
        ...{ closedby: onClose ? "closerequest" : "none" }
      }
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose?.();
      }}
      onKeyDown={({ key, ctrlKey, metaKey, target }) => {
        // Enter alone begins a line in the one and opens the other.
        if (key !== "Enter" || !(ctrlKey || metaKey)) return;
        if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) {
          target.form?.requestSubmit();
        }
      }}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget && isOutside(event)) onClose?.();
      }}
    >
      <h2 id={titleId} class={palette ? "unseen" : "dialog-title"}>{title}</h2>
      {note !== undefined && <p class="dialog-note">{note}</p>}
      {children}
    </dialog>
  );
}

/** The row of buttons at the end of a dialog, the one that goes on last. */
export function DialogButtons({ children }: { children: ComponentChildren }) {
  return <div class="dialog-buttons">{children}</div>;
}

function isOutside(event: MouseEvent & { currentTarget: HTMLElement }): boolean {
  const { left, right, top, bottom } = event.currentTarget.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return x < left || x > right || y < top || y > bottom;
}
