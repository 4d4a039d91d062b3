import { delivery, density, singleKeys, times } from "../../api/preferences.ts";
import { SelectField } from "../../parts/fields.tsx";

const texts: Readonly<Record<string, string>> = {
  comfortable: "Comfortable",
  compact: "Compact: more rows on a screen",
  relative: "How long ago",
  exact: "Day and time",
  one_time_link: "Make a one-time link",
  answer: "Show it to me, once",
  on: "On",
  off: "Off: letters and digits do nothing by themselves",
};

const fields = [
  { label: "Lists", of: density },
  { label: "Times in lists", of: times },
  { label: "How a new key is handed over", of: delivery },
  { label: "Single-key shortcuts", of: singleKeys },
] as const;

/** A person's choices, kept in this browser. */
export function YourChoices() {
  return (
    <>
      <h2 class="group-title">Your choices in this browser</h2>
      <div class="your-choices">
        {fields.map(({ label, of }) => (
          <SelectField
            key={label}
            label={label}
            value={of.value}
            options={of.choices.map((value) => ({ value, text: texts[value] ?? value }))}
            onChange={(value) => {
              const chosen = of.choices.find((one) => one === value);
              // as: each field offers its own choices alone.
              if (chosen) (of as { value: string }).value = chosen;
            }}
          />
        ))}
      </div>
    </>
  );
}
