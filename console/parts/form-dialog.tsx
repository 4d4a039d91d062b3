import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { known } from "../api/session.ts";
import { Button } from "./button.tsx";
import { Dialog, DialogButtons } from "./dialog.tsx";
import { fieldsOf, type FormFields, type FormState, placesOf } from "./form-fields.tsx";
import { type FormProblems, noProblems, problemsOf } from "./form-problems.ts";

/** Somebody changed the thing meanwhile: `now` is what there is, the message says who did it. */
export class ChangedMeanwhile extends Error {
  constructor(readonly now: unknown, message: string) {
    super(message);
  }
}

/**
 * What was typed and not yet saved, in memory alone: a session that ends takes the form away, not
 * the work. By person, so that whoever signs in next sees nothing of it.
 */
const drafts = new Map<string, unknown>();

/**
 * A form in a dialog. Nothing that was typed is lost: not by a refusal, whose words stand at their
 * fields; not by Esc, which asks first; not by the end of the session; and not by somebody who
 * saved meanwhile: then what one did not touch takes the others' values. What is refused of a
 * declared field stands at it; `places` says it of the rest, as `problemsOf` takes it. It closes by
 * `onClose` after `onSave`.
 */
export function FormDialog<Draft extends object>(
  { name, title, note, action, wide, initial, places, fields, onSave, onClose }: {
    /** Names the form and what it changes. */
    name: string;
    title: string;
    note?: ComponentChildren;
    action: string;
    wide?: boolean;
    initial: Draft;
    places?: Readonly<Record<string, string>>;
    onSave: (draft: Draft) => Promise<unknown>;
    onClose: () => void;
    fields: NoInfer<FormFields<Draft> | ((form: FormState<Draft>) => FormFields<Draft>)>;
  },
) {
  const key = `${personId()} ${name}`;
  const element = useRef<HTMLFormElement>(null);
  const [base, setBase] = useState(initial);
  // as: what is kept under a form's name is this form's.
  const [draft, setDraft] = useState(() => drafts.get(key) as Draft | undefined ?? initial);
  const [wasKept] = useState(() => drafts.has(key));
  const [problems, setProblems] = useState<FormProblems>(noProblems);
  const [busy, setBusy] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const set = (change: Partial<Draft>) => {
    const next = { ...draft, ...change };
    drafts.set(key, next);
    setDraft(next);
    setLeaving(false);
    setProblems(({ fields }) => ({
      fields: Object.fromEntries(Object.entries(fields).filter(([field]) => !(field in change))),
      rest: "",
    }));
  };
  const form = { draft, set, errors: problems.fields };
  const shown = typeof fields === "function" ? fields(form) : fields;
  const isTouched = !isSame(draft, base);
  const end = () => {
    drafts.delete(key);
    onClose();
  };
  const save = async () => {
    setBusy(true);
    setProblems(noProblems);
    try {
      await onSave(draft);
      end();
    } catch (error) {
      setBusy(false);
      if (!(error instanceof ChangedMeanwhile)) {
        return setProblems(problemsOf(error, { ...placesOf(draft, shown), ...places }));
      }
      // as: the form itself said what there is now.
      const now = error.now as Draft;
      setDraft((old) => merged(base, old, now));
      setBase(now);
      setProblems({ fields: {}, rest: error.message });
    }
  };
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);
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
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void save();
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

/** What there is now, with what was touched since `base` kept as it was typed. */
function merged<Draft extends object>(base: Draft, mine: Draft, now: Draft): Draft {
  const before = new Map<string, unknown>(Object.entries(base));
  const touched = Object.entries(mine).filter(([name, value]) => !isSame(value, before.get(name)));
  return { ...now, ...Object.fromEntries(touched) };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function personId(): string {
  return known()?.person.id ?? "";
}
