import { listDoors } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { byText, FilterLine, useApiFilter, usePlanFilter } from "../../parts/filter-line.tsx";
import { DeveloperChip, KeyChip } from "../../parts/narrowing.tsx";
import { TimeFilter } from "../../parts/time-filter.tsx";
import { type Filters, isNarrowed, noFilters, reasons } from "./filters.ts";
import { reasonTitles } from "../../parts/refusals/words.ts";

/** The line of filters: of one key or developer by the search beside it, which shows as a chip. */
export function DoorFilters({ filters, onChange }: {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
}) {
  const { key, developer } = filters;
  const doors = (useDoors() ?? []).map(({ name }) => ({ value: name, text: name }));
  const options = byText([...doors, { value: "other", text: "Doors without a name" }]);
  return (
    <FilterLine
      filters={filters}
      onChange={onChange}
      cleared={isNarrowed(filters) && noFilters}
      of={[
        {
          of: "reason",
          label: "Reason",
          any: "All reasons",
          options: reasons.map((value) => ({ value, text: reasonTitles[value] })),
        },
        useApiFilter(),
        usePlanFilter(),
        { of: "door", label: "Door", any: "Any door", options, isRead: true },
        <TimeFilter key="time" value={filters} onChange={onChange} />,
        <KeyChip key="key" what="Refusals" id={key} onClear={() => onChange({ key: "" })} />,
        <DeveloperChip
          key="developer"
          what="Refusals"
          id={developer}
          onClear={() => onChange({ developer: "" })}
        />,
      ]}
    />
  );
}

/** The doors that somebody set up, by name; undefined until they are read. */
export function useDoors() {
  return useCall(["doors"], listDoors, {}).data?.data;
}
