import { api } from "../api/client.ts";
import { listMailedLinks } from "../api/decision-endpoints.ts";
import { useQuery } from "../api/queries.ts";

/**
 * By key request, the address to which its claim link would be mailed; those of nobody are left
 * out. Empty while unknown.
 */
export function useMailedLinks(ids: readonly string[]): ReadonlyMap<string, string> {
  const asked = ids.join(",");
  const { data } = useQuery({
    queryKey: ["mailed-links", asked],
    queryFn: () => api.call(listMailedLinks, { query: { ids: asked } }),
    gcTime: 30_000,
  });
  return new Map(
    (data?.data ?? []).flatMap(({ id, mailed_to }) => mailed_to === null ? [] : [[id, mailed_to]]),
  );
}
