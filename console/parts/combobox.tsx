import { useId, useState } from "preact/hooks";
import { say } from "../said.ts";

/** One that can be chosen. */
export interface Option {
  readonly id: string;
  readonly text: string;
  readonly hint?: string;
}

/**
 * A text field that offers what fits what is written in it, after the ARIA Authoring Practices'
 * combobox with a list: the focus stays in the field, arrows walk through the options, Enter takes
 * one, Escape puts them away.
 */
export function Combobox(
  { label, hint, error, value, options, none, autoFocus, onInput, onChoose }: {
    label: string;
    hint?: string | undefined;
    error?: string | undefined;
    value: string;
    /** The matching options; undefined: nothing is offered now. */
    options: readonly Option[] | undefined;
    /** The text if nothing matches. */
    none: string;
    autoFocus?: boolean;
    onInput: (value: string) => void;
    onChoose: (option: Option) => void;
  },
) {
  const id = useId();
  const [at, setAt] = useState(-1);
  const [isAway, setAway] = useState(false);
  const shown = isAway ? undefined : options;
  const active = shown?.[at];
  const choose = (option: Option) => {
    setAt(-1);
    onChoose(option);
  };
  const onKey = (event: KeyboardEvent) => {
    if (!shown) return;
    const { length } = shown;
    if (event.key === "ArrowDown") setAt(at + 1 < length ? at + 1 : 0);
    else if (event.key === "ArrowUp") setAt(at > 0 ? at - 1 : length - 1);
    else if (event.key === "Enter" && active) choose(active);
    else if (event.key === "Escape") setAway(true);
    else return;
    // Neither the form nor a dialog around it takes the key too.
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="field">
      <label class="field-label" for={id}>{label}</label>
      <input
        id={id}
        class="input"
        type="text"
        role="combobox"
        value={value}
        autofocus={autoFocus ?? false}
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        aria-autocomplete="list"
        aria-expanded={shown !== undefined}
        aria-controls={`${id}-list`}
        aria-activedescendant={active && `${id}-${at}`}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-hint ${id}-error`}
        onInput={(event) => {
          setAt(-1);
          setAway(false);
          onInput(event.currentTarget.value);
        }}
        onKeyDown={onKey}
      />
      <p id={`${id}-hint`} class="field-hint">{hint}</p>
      <p id={`${id}-error`} class="field-error" role="alert">{error}</p>
      <ul
        id={`${id}-list`}
        class="choice-list is-boxed"
        role="listbox"
        aria-label={say`${label}: what fits`}
        hidden={!shown?.length}
      >
        {shown?.map((option, index) => (
          <li
            key={option.id}
            id={`${id}-${index}`}
            class={index === at ? "choice is-active" : "choice"}
            role="option"
            aria-selected={index === at}
            // The focus stays where it is.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(option)}
          >
            <span class="line-1">{option.text}</span>
            <span class="line-2">{option.hint}</span>
          </li>
        ))}
      </ul>
      <p class="field-hint" role="status">{shown?.length === 0 ? none : ""}</p>
    </div>
  );
}
