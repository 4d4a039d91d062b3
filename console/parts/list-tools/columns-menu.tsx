import { Button } from "../button.tsx";
import { CheckField } from "../fields.tsx";
import { facts, type ListName } from "./facts.ts";
import { Menu } from "./menu.tsx";

/** Which columns a list shows; the first one always does. */
export function ColumnsMenu({ list, chosen, onChoose }: {
  list: ListName;
  /** Null: all of them. */
  chosen: readonly string[] | null;
  onChoose: (columns: readonly string[] | null) => void;
}) {
  const all = Object.entries(facts[list].columns);
  const shown = chosen ?? all.map(([word]) => word);
  const choose = (word: string, isShown: boolean) => {
    const next = all.map(([one]) => one)
      .filter((one) => one === word ? isShown : shown.includes(one));
    onChoose(next.length === all.length ? null : next);
  };
  return (
    <Menu label="Columns" text="Columns" name="columns-button" isSet={chosen !== null}>
      {() => (
        <div class="menu-body">
          {all.map(([word, [title = word]]) => (
            <CheckField
              key={word}
              label={title}
              checked={shown.includes(word)}
              disabled={shown.length === 1 && shown[0] === word}
              onChange={(isShown) => choose(word, isShown)}
            />
          ))}
          <p class="menu-note">On a narrow screen the list shows what fits.</p>
          {chosen !== null && (
            <Button kind="quiet" onClick={() => onChoose(null)}>Show all columns</Button>
          )}
        </div>
      )}
    </Menu>
  );
}
