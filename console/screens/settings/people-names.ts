import { listPeople } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";

/** People to choose from: the newest hundred. */
export function usePeople() {
  return useCall(["people", "names"], listPeople, { query: { limit: 100 } }, { staleTime: 60_000 })
    .data?.data ?? [];
}

/** People's names by their ids; the id if the name is not known. */
export function usePeopleNames(): (id: string) => string {
  const people = usePeople();
  return (id) => people.find((one) => one.id === id)?.name ?? id;
}
