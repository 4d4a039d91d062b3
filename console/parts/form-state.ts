import { useEffect, useRef, useState } from "preact/hooks";
import { known } from "../api/session.ts";
import { type FormFields, type FormState, placesOf } from "./form-fields.tsx";
import { type FormProblems, noProblems, problemsOf } from "./form-problems.ts";

/** Another person changed the thing meanwhile: `now` is its state, the message names the person. */
export class ChangedMeanwhile extends Error {
  constructor(readonly now: unknown, message: string) {
    super(message);
  }
}

/**
 * Unsaved changes of forms, in memory alone: an expired session closes the form but keeps the work.
 * By person, so that the next one to sign in sees nothing of it.
 */
const drafts = new Map<string, unknown>();

/** How a form is declared. */
export interface FormProps<Draft extends object> {
  /** Names the form and what it changes. */
  name: string;
  places?: Readonly<Record<string, string>>;
  fields: NoInfer<FormFields<Draft> | ((form: FormState<Draft>) => FormFields<Draft>)>;
  onSave: (draft: Draft) => Promise<unknown>;
}

/** A form while it is filled in: what is typed over `base` until `onSave` took it. */
export function useForm<Draft extends object>(
  { name, places, fields, onSave, base }: FormProps<Draft> & {
    /** The present values: members that were not touched follow them. */
    base: Draft;
  },
) {
  const key = `${known()?.person.id ?? ""} ${name}`;
  const element = useRef<HTMLFormElement>(null);
  // as: what is kept under a form's name is this form's.
  const [kept] = useState(() => drafts.get(key) as Partial<Draft> | undefined);
  const [changes, setChanges] = useState<Partial<Draft>>(kept ?? {});
  const [problems, setProblems] = useState<FormProblems>(noProblems);
  const [busy, setBusy] = useState(false);
  const draft = { ...base, ...changes };
  const set = (change: Partial<Draft>) => {
    const next = { ...changes, ...change };
    drafts.set(key, next);
    setChanges(next);
    setProblems(({ fields }) => ({
      fields: Object.fromEntries(Object.entries(fields).filter(([field]) => !(field in change))),
      rest: "",
    }));
  };
  const form = { draft, set, errors: problems.fields };
  const shown = typeof fields === "function" ? fields(form) : fields;
  const forget = () => {
    drafts.delete(key);
    setChanges({});
    setProblems(noProblems);
  };
  /** Saves all changes. `onChanged` is called with what another person changed meanwhile. */
  const save = async (onChanged: (now: Draft) => void = () => {}): Promise<boolean> => {
    setBusy(true);
    setProblems(noProblems);
    try {
      await onSave(draft);
      return true;
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) {
        setProblems(problemsOf(error, { ...placesOf(draft, shown), ...places }));
        return false;
      }
      const before = new Map<string, unknown>(Object.entries(base));
      const isTouched = ([name, value]: [string, unknown]) => !isSame(value, before.get(name));
      // as: members of the draft; the form itself said what there is now.
      setChanges(Object.fromEntries(Object.entries(draft).filter(isTouched)) as Partial<Draft>);
      onChanged(error.now as Draft);
      setProblems({ fields: {}, rest: error.message });
      return false;
    } finally {
      setBusy(false);
    }
  };
  /**
   * Saves one switch at once, and nothing else that was changed. True: it is saved. While another
   * one is being saved it stays as it is.
   */
  const turn = async (name: keyof Draft & string, value: boolean): Promise<boolean> => {
    if (busy) {
      setChanges({ ...changes });
      return false;
    }
    setBusy(true);
    // as: the member of a switch is a boolean.
    setChanges({ ...changes, [name]: value } as Partial<Draft>);
    setProblems(noProblems);
    try {
      await onSave({ ...base, [name]: value });
      return true;
    } catch (error) {
      const { fields, rest } = problemsOf(error, { ...places, [name]: name });
      setProblems({ fields: { ...fields, ...rest === "" ? {} : { [name]: rest } }, rest: "" });
      return false;
    } finally {
      // as: all but the switch. Text that was typed meanwhile stays.
      setChanges(({ [name]: _, ...rest }) => rest as Partial<Draft>);
      setBusy(false);
    }
  };
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);
  return {
    element,
    form,
    shown,
    problems,
    busy,
    save,
    turn,
    forget,
    wasKept: kept !== undefined,
    isTouched: !isSame(draft, base),
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
