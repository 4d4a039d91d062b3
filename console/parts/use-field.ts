import { useState } from "preact/hooks";

/** A field of a dialog: what stands there, and what is wrong with it until that changes. */
export interface Field<Value> {
  readonly value: Value;
  readonly error: string;
  readonly set: (value: Value) => void;
  /** Says what is wrong with it; false, as `Confirm` takes it. */
  readonly refuse: (why: string) => false;
}

/** A field that begins with `initial`. */
export function useField<Value>(initial: Value): Field<Value> {
  const [value, setValue] = useState(initial);
  const [error, setError] = useState("");
  return {
    value,
    error,
    set: (next) => {
      setValue(next);
      setError("");
    },
    refuse: (why) => {
      setError(why);
      return false;
    },
  };
}

/** A field as a text field takes it. */
export function typed({ value, error, set }: Field<string>) {
  return { value, error, onInput: set };
}
