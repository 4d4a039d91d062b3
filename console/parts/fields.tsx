import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  label: string;
  /** A hint for the person who fills it in. */
  hint?: string | undefined;
  /** Its problem; shown and read out. */
  error?: string | undefined;
}

/** The parts of a text field beside its words. */
export interface TextInput {
  value: string;
  onInput: (value: string) => void;
  required?: boolean;
  type?: "text" | "email" | "number" | "password" | "url" | "datetime-local" | "date";
  /** Makes it several lines high. */
  rows?: number;
  maxLength?: number;
  min?: number;
  max?: number;
  autocomplete?: string;
  list?: string;
  autoFocus?: boolean;
  placeholder?: string;
}

/** A text field with its label. */
export function TextField(
  { label, hint, error, required, value, onInput, type = "text", rows, ...rest }:
    & FieldProps
    & TextInput,
) {
  const id = useId();
  const { autoFocus, ...attributes } = rest;
  const common = {
    ...attributes,
    id,
    class: "input",
    value,
    required: required ?? false,
    autofocus: autoFocus ?? false,
    "aria-invalid": error ? true : undefined,
    "aria-describedby": describedBy(id, hint, error),
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  } as const;
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {rows === undefined
        // as: the types tell of roles that go with each type of input; none is given here.
        ? <input type={type as "text"} {...common} />
        : <textarea rows={rows} {...common} />}
    </Field>
  );
}

/** A choice of a few. */
export function SelectField({ label, hint, error, value, options, onChange }: FieldProps & {
  value: string;
  options: readonly { value: string; text: string }[];
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <select
        id={id}
        class="input"
        value={value}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>{option.text}</option>
        ))}
      </select>
    </Field>
  );
}

/** A tick; `isSwitch`: it counts at once, and says so to screen readers. */
export function CheckField(
  { label, hint, error, checked, disabled, isSwitch, onChange }: FieldProps & {
    checked: boolean;
    disabled?: boolean | undefined;
    isSwitch?: boolean;
    onChange: (checked: boolean) => void;
  },
) {
  const id = useId();
  return (
    <label class="check">
      <input
        type="checkbox"
        role={isSwitch ? "switch" : undefined}
        checked={checked}
        disabled={disabled}
        aria-invalid={error ? true : undefined}
        aria-labelledby={`${id}-label`}
        aria-describedby={describedBy(id, hint, error)}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        <span id={`${id}-label`}>{label}</span>{" "}
        {hint && <small id={`${id}-hint`} class="field-hint">{hint}</small>}
        {error && <small id={`${id}-error`} class="field-error" role="alert">{error}</small>}
      </span>
    </label>
  );
}

/** A filter above a list: a select whose label only screen readers need. */
export function Filter({ label, value, options, isRead = false, onChange }: {
  label: string;
  value: string;
  options: readonly { value: string; text: string }[];
  /** Its options are read: it is as wide before as after, so that nothing beside it moves. */
  isRead?: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <label class={isRead ? "filter is-read" : "filter"}>
      <span class="unseen">{label}</span>
      <select
        class={value === "" ? "input" : "input is-set"}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>{option.text}</option>
        ))}
      </select>
    </label>
  );
}

function Field({ id, label, hint, error, children }: FieldProps & {
  id: string;
  children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label class="field-label" for={id}>{label}</label>
      {children}
      {hint && <p id={`${id}-hint`} class="field-hint">{hint}</p>}
      {error && <p id={`${id}-error`} class="field-error" role="alert">{error}</p>}
    </div>
  );
}

function describedBy(id: string, hint?: string, error?: string): string | undefined {
  const parts = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join(" ");
}
