import type { ComponentChildren, VNode } from "preact";
import { CheckField, SelectField, TextField, type TextInput } from "./fields.tsx";

/** The state of a form while a person fills it in. */
export interface FormState<Draft> {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
  /** By the names of the draft's members. */
  readonly errors: Readonly<Record<string, string>>;
  /** Saves a boolean member at once, as a switch; absent: it is a tick, saved with the rest. */
  readonly turn?: (name: keyof Draft & string, value: boolean) => void;
}

/** The names of the draft's members of one kind. */
type NamesOf<Draft, Kind> = {
  [Name in keyof Draft & string]: Draft[Name] extends Kind ? Name : never;
}[keyof Draft & string];

interface Words {
  label: string;
  hint?: string | undefined;
  /** The member whose errors are shown at this field, if it is not its own. */
  error?: string;
  /** The problem of its present value; undefined: only errors of the server. */
  wrong?: string | undefined;
}

/** A text, as it is typed. */
type Text<Draft> = Words & Omit<TextInput, "value" | "onInput"> & {
  of: NamesOf<Draft, string | undefined>;
};

/** A choice of a few: what is chosen is the value of one of the options. */
type Choice<Draft> = {
  [Name in keyof Draft & string]: Words & {
    of: Name;
    options: readonly { value: Draft[Name]; text: string }[];
  };
}[keyof Draft & string];

/** A tick: its refusals stand below the form where `places` does not name it. */
type Tick<Draft> = Omit<Words, "error" | "wrong"> & {
  of: NamesOf<Draft, boolean>;
  disabled?: boolean;
};

/**
 * The fields of a form, in their order. A field names the member of the draft that it is `of`. Any
 * element may be between fields; a false condition leaves no trace.
 */
export type FormFields<Draft> =
  | Text<Draft>
  | Choice<Draft>
  | Tick<Draft>
  | { class: string; fields: FormFields<Draft> }
  | VNode
  | false
  | ""
  | null
  | undefined
  | readonly FormFields<Draft>[];

/** The fields of a form as elements, each with what is typed there and what is wrong with it. */
export function fieldsOf<Draft extends object>(
  form: FormState<Draft>,
  fields: FormFields<Draft>,
): ComponentChildren {
  if (isSeveral(fields)) return fields.map((field) => fieldsOf(form, field));
  if (!fields) return null;
  if ("fields" in fields) return <div class={fields.class}>{fieldsOf(form, fields.fields)}</div>;
  if (!("of" in fields)) return fields;
  const { of, error: place = of, wrong, ...field } = {
    error: undefined,
    wrong: undefined,
    ...fields,
  };
  const value: unknown = form.draft[of];
  // as: the member's own kind, as the declaration demands of the field.
  const set = (next: unknown) => form.set({ [of]: next } as Partial<Draft>);
  const error = wrong ?? form.errors[place];
  if ("options" in field) {
    return (
      <SelectField
        {...field}
        value={String(value ?? "")}
        error={error}
        options={field.options.map((one) => ({ ...one, value: String(one.value) }))}
        onChange={(text) => set(field.options.find((one) => String(one.value) === text)?.value)}
      />
    );
  }
  if (typeof value === "boolean") {
    const { turn } = form;
    return (
      <CheckField
        {...field}
        error={error}
        checked={value}
        isSwitch={turn !== undefined}
        onChange={turn ? (next) => turn(of, next) : set}
      />
    );
  }
  return <TextField {...field} value={String(value ?? "")} error={error} onInput={set} />;
}

/** By the names of members that are refused: the fields that show it. A tick shows nothing. */
export function placesOf<Draft>(draft: Draft, fields: FormFields<Draft>): Record<string, string> {
  if (isSeveral(fields)) return Object.assign({}, ...fields.map((one) => placesOf(draft, one)));
  if (!fields) return {};
  if ("fields" in fields) return placesOf(draft, fields.fields);
  if (!("of" in fields) || !("options" in fields) && typeof draft[fields.of] === "boolean") {
    return {};
  }
  const place = "error" in fields && fields.error || fields.of;
  return { [place]: place };
}

function isSeveral<Draft>(fields: FormFields<Draft>): fields is readonly FormFields<Draft>[] {
  return Array.isArray(fields);
}
