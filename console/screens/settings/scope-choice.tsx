import { useState } from "preact/hooks";
import { usePlanList } from "../../api/plans.ts";
import { Combobox, type Option } from "../../parts/combobox.tsx";
import { TextField } from "../../parts/fields.tsx";
import { say } from "../../said.ts";
import type { TypedScope } from "./person.ts";

const SHOWN = 5;

/** Plans, APIs and tags of a scope, plans and APIs by their names. */
export default function ScopeChoice({ value, onChange }: {
  value: TypedScope;
  onChange: (value: TypedScope) => void;
}) {
  const known = usePlanList();
  const plans = known.map(({ id, name, apis }) => ({ id, text: name, hint: apis }));
  const apis = new Map(
    known.flatMap(({ apiIds, apiNames }) =>
      apiIds.map((id, at) => [id, { id, text: apiNames[at] ?? id, hint: id }] as const)
    ),
  );
  return (
    <>
      <Several
        label="Plans"
        hint="By name or id."
        known={plans}
        chosen={value.plans}
        onChange={(plans) => onChange({ ...value, plans })}
      />
      <Several
        label="APIs"
        hint="By name or id. Plans whose keys are valid for nothing but these."
        known={[...apis.values()]}
        chosen={value.apis}
        onChange={(apis) => onChange({ ...value, apis })}
      />
      <TextField
        label="Tags"
        hint="Plans with one of these, with commas between them."
        value={value.tags}
        onInput={(tags) => onChange({ ...value, tags })}
      />
    </>
  );
}

/** Several of those that are known, found by words; and what is none of them by its id. */
function Several({ label, hint, known, chosen, onChange }: {
  label: string;
  hint: string;
  known: readonly Option[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}) {
  const [text, setText] = useState("");
  const q = text.trim().toLowerCase();
  const nameOf = (id: string) => known.find((one) => one.id === id)?.text ?? id;
  const found = known.filter(({ id, text }) =>
    !chosen.includes(id) && `${text} ${id}`.toLowerCase().includes(q)
  ).slice(0, SHOWN);
  // More plans than are read for names, or none that one may see.
  const typed = text.trim();
  const offered = found.length > 0 || known.some(({ id }) => id === typed) || /\s/.test(typed)
    ? found
    : [{ id: typed, text: typed, hint: "An unknown id" }];
  return (
    <div>
      <Combobox
        label={label}
        hint={hint}
        value={text}
        none="Nothing else fits."
        options={q === "" ? undefined : offered}
        onInput={setText}
        onChoose={({ id }) => {
          if (!chosen.includes(id)) onChange([...chosen, id]);
          setText("");
        }}
      />
      {chosen.length > 0 && (
        <ul class="scope-chosen" aria-label={say`${label} of the scope`}>
          {chosen.map((id) => (
            <li key={id}>
              {nameOf(id)}{" "}
              <button
                type="button"
                class="text-link"
                aria-label={say`Take out ${nameOf(id)}`}
                onClick={() => onChange(chosen.filter((one) => one !== id))}
              >
                Take out
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
