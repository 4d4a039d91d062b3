import { listMailedLinks } from "../api/decision-endpoints.ts";
import { useCall } from "../api/queries.ts";

/**
 * By key request, the address to which its one-time link would be mailed; requests without one are
 * left out. Empty while unknown.
 */
export function useMailedLinks(ids: readonly string[]): ReadonlyMap<string, string> {
  const asked = ids.join(",");
  const { data } = useCall(["mailed-links", asked], listMailedLinks, { query: { ids: asked } }, {
    gcTime: 30_000,
  });
  return new Map(
    (data?.data ?? []).flatMap(({ id, mailed_to }) => mailed_to === null ? [] : [[id, mailed_to]]),
  );
}
