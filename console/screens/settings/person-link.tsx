import { Link } from "wouter-preact";
import { api } from "../../api/client.ts";
import { getPerson } from "../../api/endpoints.ts";
import { useQuery } from "../../api/queries.ts";

/** The name of a person, as a link to them; the id if the name is not known. */
export function PersonLink({ id }: { id: string }) {
  const isPerson = id !== "operator";
  const { data } = useQuery({
    queryKey: ["people", id, "name"],
    queryFn: async () => (await api.call(getPerson, { params: { id } })).name,
    enabled: isPerson,
    staleTime: 60_000,
  });
  if (!isPerson) return <>the server administrator</>;
  return (
    <Link class="text-link" href={`/settings/${encodeURIComponent(id)}?show=people`}>
      {data ?? id}
    </Link>
  );
}
