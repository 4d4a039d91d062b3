/** The choice for a developer's keys: one of these, each with its words. */
export function KeysChoice<Choice extends string>({ legend, choices, keys, onChoose }: {
  legend: string;
  choices: Readonly<Partial<Record<Choice, string>>>;
  keys: Choice | undefined;
  onChoose: (choice: Choice) => void;
}) {
  return (
    <fieldset class="choices">
      <legend class="field-label">{legend}</legend>
      {
        // as: Object.entries forgets the names.
        (Object.entries(choices) as [Choice, string][]).map(([choice, text]) => (
          <label class="check" key={choice}>
            <input
              type="radio"
              name="keys"
              checked={keys === choice}
              onChange={() =>
                onChoose(choice)}
            />
            {text}
          </label>
        ))
      }
    </fieldset>
  );
}
