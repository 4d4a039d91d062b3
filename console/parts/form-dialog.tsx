import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog, DialogButtons } from "./dialog.tsx";
import { fieldsOf } from "./form-fields.tsx";
import { type FormProps, useForm } from "./form-state.ts";

/**
 * A form in a dialog. Nothing that was typed is lost: not by a refusal, whose words stand at their
 * fields; not by Esc, which asks first; not by the end of the session; and not by somebody who
 * saved meanwhile: then what one did not touch takes the others' values. What is refused of a
 * declared field stands at it; `places` says it of the rest, as `problemsOf` takes it. It closes by
 * `onClose` after `onSave`.
 */
export function FormDialog<Draft extends object>(
  { title, note, action, wide, initial, onClose, ...declared }: FormProps<Draft> & {
    title: string;
    note?: ComponentChildren;
    action: string;
    wide?: boolean;
    initial: Draft;
    onClose: () => void;
  },
) {
  const [base, setBase] = useState(initial);
  const [leaving, setLeaving] = useState(false);
  const { element, form, shown, problems, busy, save, forget, wasKept, isTouched } = useForm({
    ...declared,
    base,
  });
  const end = () => {
    forget();
    onClose();
  };
  const submit = async () => {
    setLeaving(false);
    if (await save(setBase)) end();
  };
  return (
    <Dialog
      title={title}
      note={note}
      wide={wide ?? false}
      onClose={busy ? undefined : isTouched ? () => setLeaving(true) : end}
    >
      <form
        ref={element}
        class="dialog-form"
        noValidate
        onInput={() => setLeaving(false)}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void submit();
        }}
      >
        {wasKept && isTouched && <p class="notice">What you typed before is back.</p>}
        {fieldsOf(form, shown)}
        {problems.rest !== "" && <p class="notice is-bad" role="alert">{problems.rest}</p>}
        {leaving
          ? (
            <div class="leaving" role="alert">
              <span>Discard what you typed?</span>
              <DialogButtons>
                <Button kind="danger" onClick={end}>Discard</Button>
                <Button autoFocus onClick={() => setLeaving(false)}>Keep editing</Button>
              </DialogButtons>
            </div>
          )
          : (
            <DialogButtons>
              <Button onClick={end} disabled={busy}>Cancel</Button>
              <Button kind="primary" type="submit" busy={busy}>{action}</Button>
            </DialogButtons>
          )}
      </form>
    </Dialog>
  );
}
