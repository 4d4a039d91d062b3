import { getDeveloper, getKey } from "../api/endpoints.ts";
import { useCall } from "../api/queries.ts";
import { say } from "../said.ts";
import { FilterChip } from "./filter-line.tsx";

interface ChipProps {
  /** Nothing stands there for "". */
  id: string;
  /** The noun of the list. */
  what: string;
  onClear: () => void;
}

/** The developer whose things alone are listed. */
export function DeveloperChip({ id, what, onClear }: ChipProps) {
  const developer = useCall(["developers", id], getDeveloper, { params: { id } }, {
    enabled: id !== "",
  }).data;
  if (id === "") return null;
  const name = developer?.email || id;
  return (
    <FilterChip label={say`${what} of ${name}; show everybody's`} onClear={onClear}>
      Of {name}
    </FilterChip>
  );
}

/** The key whose things alone are listed. */
export function KeyChip({ id, what, onClear }: ChipProps) {
  const key =
    useCall(["keys", id], getKey, { params: { key_id: id } }, { enabled: id !== "" }).data;
  if (id === "") return null;
  const name = key?.name || key?.mask || `…${id.slice(-8)}`;
  return (
    <FilterChip label={say`${what} of ${name}; show those of all keys`} onClear={onClear}>
      Of {name}
    </FilterChip>
  );
}
