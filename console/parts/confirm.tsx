import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { wordsOf } from "../api/client.ts";
import { asked } from "./asked.ts";
import { Button } from "./button.tsx";
import { Dialog, DialogButtons } from "./dialog.tsx";
import { toast } from "./toasts.tsx";

/** Something that has no undo. */
export interface Question {
  title: string;
  note?: ComponentChildren;
  /** The button's word. */
  action: string;
  danger?: boolean;
  /** Content below the note. */
  more?: ComponentChildren;
  /** Does it; what it throws is said in the dialog. */
  run: () => Promise<unknown>;
  /** Said once it is done. */
  done?: string;
}

/** Asks before something that has no undo and takes no more than a yes. */
export function ask({ more, run, done, ...question }: Question): void {
  asked.value = (
    <Confirm
      {...question}
      onConfirm={async () => {
        await run();
        if (done) toast({ text: done });
      }}
      onClose={() => asked.value = null}
    >
      {more}
    </Confirm>
  );
}

/**
 * Asks before something that has no undo. `onConfirm` does it; while it runs the buttons wait, and
 * when it throws the dialog stays and says why. After a success it closes by `onClose`, unless
 * `onConfirm` gave false: then the caller has put something else in its place, such as a credential
 * that is shown once.
 */
export function Confirm({ title, note, action, danger, children, onConfirm, onClose }: {
  title: string;
  note?: ComponentChildren;
  action: string;
  danger?: boolean;
  children?: ComponentChildren;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const confirm = async () => {
    setBusy(true);
    setProblem("");
    try {
      if (await onConfirm() !== false) onClose();
      // It may stand still: something that was written in it will not do.
      else setBusy(false);
    } catch (error) {
      setProblem(wordsOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} note={note} onClose={busy ? undefined : onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void confirm();
        }}
      >
        {children}
        {problem !== "" && <p class="notice is-bad" role="alert">{problem}</p>}
        <DialogButtons>
          <Button onClick={onClose} disabled={busy}>Cancel</Button>
          <Button kind={danger ? "danger" : "primary"} type="submit" busy={busy} autoFocus>
            {action}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
