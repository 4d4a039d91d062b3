import { api } from "../../api/client.ts";
import { listPeople } from "../../api/endpoints.ts";
import { useQuery } from "../../api/queries.ts";

/** People to choose from: the newest hundred. */
export function usePeople() {
  return useQuery({
    queryKey: ["people", "names"],
    queryFn: () => api.call(listPeople, { query: { limit: 100 } }),
    staleTime: 60_000,
  }).data?.data ?? [];
}

/** What people are called by their ids; an id where that is not known. */
export function usePeopleNames(): (id: string) => string {
  const people = usePeople();
  return (id) => people.find((one) => one.id === id)?.name ?? id;
}
