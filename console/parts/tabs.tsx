import { useId } from "preact/hooks";
import type { Shortcut } from "./shortcuts.ts";

/**
 * One choice of several, side by side: real radio buttons, so arrows and screen readers know them.
 */
export function Tabs<Value extends string>({ label, value, tabs, onChange }: {
  label: string;
  value: Value;
  tabs: readonly { value: Value; text: string; count?: number | undefined }[];
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset class="tabs">
      <legend class="unseen">{label}</legend>
      {tabs.map((tab) => (
        <label key={tab.value} class="tab">
          <input
            type="radio"
            class="unseen"
            name={name}
            checked={tab.value === value}
            onChange={() => onChange(tab.value)}
          />
          {tab.text}
          {"count" in tab && (
            <span class="tab-count">{tab.count !== undefined && shortNumber(tab.count)}</span>
          )}
        </label>
      ))}
    </fieldset>
  );
}

let compact: Intl.NumberFormat | undefined;

/** 999, 12K, 1.2M: what fits beside a word. */
export function shortNumber(count: number): string {
  if (count < 10_000) return String(count);
  compact ??= new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
  return compact.format(count);
}

/** The keys 1, 2, 3 … for tabs in their order. */
export function tabKeys<Value>(
  tabs: readonly { value: Value; text: string }[],
  choose: (value: Value) => void,
): Shortcut[] {
  return tabs.map(({ value, text }, index) => ({
    keys: [String(index + 1)],
    label: text,
    run: () => choose(value),
  }));
}
