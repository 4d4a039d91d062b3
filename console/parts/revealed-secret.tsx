import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { SecretPart } from "./key-parts.ts";
import { Button } from "./button.tsx";
import { CopyField, copyFrom } from "./copy.tsx";
import { Dialog, DialogButtons } from "./dialog.tsx";
import { useLeaveGuard } from "./leave-guard.ts";

/**
 * Shows a secret that can't be shown again. The user can't leave (by Esc, a link, back, or closing
 * the tab unasked) before they say that it is stored. The values live in these props alone: keep
 * them in the state of the component that made the call, never in `queries`, the address or
 * storage, and drop them in `onDone`.
 */
export function RevealedSecret(
  { title, note, first, parts, stored, confirm, copied, isSent, children, onDone }: {
    title: string;
    note?: ComponentChildren;
    /** Before the parts: all of them at once. */
    first?: ComponentChildren;
    parts: readonly SecretPart[];
    /** The part that the server stored, in a sentence. */
    stored: ComponentChildren;
    /** The words of the tick. */
    confirm?: string;
    /**
     * Copied by one press, which closes the dialog without the tick: a link, which can be withdrawn
     * and made again.
     */
    copied?: string;
    /**
     * True: it is delivered by itself, or there is nothing. Then the user is not asked, and may
     * leave.
     */
    isSent?: boolean;
    children?: ComponentChildren;
    onDone: () => void;
  },
) {
  const [kept, setKept] = useState(false);
  const [asked, setAsked] = useState(false);
  useLeaveGuard(() => setAsked(true), !isSent);
  return (
    <Dialog title={title} note={note} onClose={isSent ? onDone : undefined}>
      {first}
      {parts.map((part) => (
        <CopyField
          key={part.label}
          label={part.label}
          text={part.value}
          lines={part.lines ?? false}
        />
      ))}
      {children}
      {isSent ? stored && <p class="notice">{stored}</p> : (
        <>
          <p class="notice is-warning">
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
              <path d="M8 1.8l6.6 12H1.4z" fill="currentColor" />
              <path d="M8 6v3.6m0 1.5v1.2" class="on-icon" stroke-width="1.4" />
            </svg>
            <span>{stored}</span>
          </p>
          <label class="check">
            <input
              type="checkbox"
              checked={kept}
              onChange={(event) => {
                setKept(event.currentTarget.checked);
                setAsked(false);
              }}
            />
            {confirm ?? "I have stored or delivered this secret"}
          </label>
          <p class="field-error" role="alert">
            {asked && !kept ? "Tick the box first: after this it can't be shown again." : ""}
          </p>
        </>
      )}
      <DialogButtons>
        <Button
          kind={copied && !isSent ? "plain" : "primary"}
          autoFocus={isSent}
          disabled={!kept && !isSent}
          onClick={onDone}
        >
          Done
        </Button>
        {copied && !isSent && (
          <Button
            kind="primary"
            autoFocus
            // If copying fails, the text is selected, and the tick closes the dialog.
            onClick={async () => {
              const value = document.querySelector<HTMLElement>("dialog[open] .copy-value");
              if (await copyFrom(value, copied)) onDone();
            }}
          >
            Copy link & finish
          </Button>
        )}
      </DialogButtons>
    </Dialog>
  );
}
