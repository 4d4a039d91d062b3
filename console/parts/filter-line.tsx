import type { ComponentChildren, VNode } from "preact";
import { alphabetical } from "../api/alphabetical.ts";
import { usePlanList } from "../api/plans.ts";
import { Button } from "./button.tsx";
import { Filter } from "./fields.tsx";
import { Empty } from "./states.tsx";

interface Choice {
  readonly value: string;
  readonly text: string;
}

/** A control of the filter that it is `of`. */
interface Control<Name extends string> {
  of: Name;
  label: string;
  /** The text of no choice. With it the address's value is always among the choices. */
  any?: string;
  options: readonly Choice[];
  /** Its options are read: it is as wide before as after. */
  isRead?: boolean;
  /** It stands where there is something to choose. */
  isOptional?: boolean;
  /** The chosen value if the address does not have it. */
  value?: string;
  /** The changes of a choice; without it the filter alone. */
  change?: (value: string) => Partial<Record<Name, string>>;
}

/** The content of a line of filters, in its order. Any element may be between controls. */
export type Controls<Name extends string> = readonly (Control<Name> | VNode | false | null)[];

/** The filters above a list, each as it is declared, and at their end what clears them. */
export function FilterLine<Name extends string>({ filters, of, cleared, onChange, children }: {
  filters: Readonly<Record<Name, string>>;
  of: NoInfer<Controls<Name>>;
  /** The changes that clear the list's filters; false without any. */
  cleared?: Partial<Record<Name, string>> | false;
  onChange: (changes: Partial<Record<Name, string>>) => void;
  children?: ComponentChildren;
}) {
  return (
    <>
      {of.map((one) => {
        if (!one || !("of" in one)) return one;
        const { of: name, any, options, isOptional, value = filters[name], change, ...rest } = one;
        if (isOptional && options.length === 0 && value === "") return null;
        // as: the control's own name.
        const changesOf = change ?? ((next) => ({ [name]: next }) as Partial<Record<Name, string>>);
        return (
          <Filter
            key={name}
            {...rest}
            value={value}
            options={any === undefined ? options : withAny(any, options, value)}
            onChange={(next) => onChange(changesOf(next))}
          />
        );
      })}
      {cleared && <ClearFilters onClear={() => onChange(cleared)} />}
      {children}
    </>
  );
}

function withAny(any: string, options: readonly Choice[], value: string): readonly Choice[] {
  const isKnown = value === "" || options.some((one) => one.value === value);
  return [{ value: "", text: any }, ...isKnown ? [] : [{ value, text: value }], ...options];
}

/** Takes away all that narrows a list. */
export function ClearFilters({ onClear }: { onClear: () => void }) {
  return (
    <Button kind="quiet" onClick={onClear}>
      Clear<span class="unseen">filters</span>
    </Button>
  );
}

/** Something that narrows a list and is chosen elsewhere; it goes when it is pressed. */
export function FilterChip({ label, onClear, children }: {
  label: string;
  onClear: () => void;
  children: ComponentChildren;
}) {
  return (
    <button type="button" class="filter-chip" aria-label={label} onClick={onClear}>
      {children} <span aria-hidden="true">×</span>
    </button>
  );
}

/** The choices by name. */
export function byText<One extends Choice>(choices: readonly One[]): One[] {
  return choices.toSorted((a, b) => alphabetical(a.text, b.text));
}

/** A choice of plans by their names. */
export function usePlanFilter() {
  const options = byText(usePlanList().map(({ id, name }) => ({ value: id, text: name })));
  return { of: "plan", label: "Plan", any: "Any plan", options, isRead: true } as const;
}

/** A choice of the APIs that plans name, by their names. */
export function useApiFilter() {
  const names = new Map(
    usePlanList().flatMap(({ apiIds, apiNames }) =>
      apiIds.map((id, index): [string, string] => [id, apiNames[index] ?? id])
    ),
  );
  const options = byText([...names].map(([value, text]) => ({ value, text })));
  return { of: "api", label: "API", any: "Any API", options, isRead: true } as const;
}

/** There is nothing by what narrows the list, and the way to all of it. */
export function NothingMatches({ title = "Nothing matches", clear = "Clear filters", ...rest }: {
  title?: string;
  /** The button's word. */
  clear?: string;
  onClear: () => void;
  children: ComponentChildren;
}) {
  return (
    <Empty title={title} action={<Button onClick={rest.onClear}>{clear}</Button>}>
      {rest.children}
    </Empty>
  );
}
