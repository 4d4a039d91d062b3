import { listDoors } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Filter } from "../../parts/fields.tsx";
import { ApiFilter, DeveloperChip, KeyChip, OneOf, PlanFilter } from "../../parts/narrowing.tsx";
import { TimeFilter } from "../../parts/time-filter.tsx";
import { type Filters, isNarrowed, noFilters, reasons } from "./filters.ts";
import { reasonTitles } from "../../parts/refusals/words.ts";

/** The line of filters: of one key or developer by the search beside it, which shows as a chip. */
export function DoorFilters({ filters, onChange }: {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
}) {
  const { reason, api: apiId, plan, door, key, developer } = filters;
  const doors = useDoors() ?? [];
  return (
    <>
      <Filter
        label="Reason"
        value={reason}
        options={[
          { value: "", text: "All reasons" },
          ...reasons.map((value) => ({ value, text: reasonTitles[value] })),
        ]}
        onChange={(value) => onChange({ reason: value })}
      />
      <ApiFilter value={apiId} onChange={(value) => onChange({ api: value })} />
      <PlanFilter value={plan} onChange={(value) => onChange({ plan: value })} />
      <OneOf
        label="Door"
        any="Any door"
        known={[
          ...doors.map(({ name }) => ({ value: name, text: name })),
          { value: "other", text: "Doors without a name" },
        ]}
        value={door}
        onChange={(value) => onChange({ door: value })}
      />
      <TimeFilter value={filters} onChange={onChange} />
      {key !== "" && <KeyChip id={key} onClear={() => onChange({ key: "" })} />}
      {developer !== "" && (
        <DeveloperChip
          what="Refusals"
          id={developer}
          onClear={() => onChange({ developer: "" })}
        />
      )}
      {isNarrowed(filters) && (
        <Button kind="quiet" onClick={() => onChange(noFilters)}>
          Clear<span class="unseen">filters</span>
        </Button>
      )}
    </>
  );
}

/** The doors that somebody set up, by name; undefined until they are read. */
export function useDoors() {
  return useCall(["doors"], listDoors, {}).data?.data;
}
