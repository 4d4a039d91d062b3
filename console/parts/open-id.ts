import { useLocation } from "wouter-preact";

/**
 * The thing that is open on a screen, out of the address: `/keys/<id>`. Opening and closing keep
 * the filters; moving from one to the next replaces, so that back leads out and not through all of
 * them.
 *
 *     const [openId, openOne] = useOpenId("/keys");
 *     openOne("abc"); openOne(undefined);
 */
export function useOpenId(
  base: string,
): [
  id: string | undefined,
  open: (id: string | undefined) => void,
  hrefOf: (id: string) => string,
] {
  const [path, navigate] = useLocation();
  const rest = path.startsWith(`${base}/`) ? path.slice(base.length + 1) : "";
  const id = rest === "" ? undefined : decodeURIComponent(rest);
  const hrefOf = (one: string) => `${base}/${encodeURIComponent(one)}${location.search}`;
  const open = (one: string | undefined) =>
    navigate(one === undefined ? `${base}${location.search}` : hrefOf(one), {
      replace: id !== undefined,
    });
  return [id, open, hrefOf];
}
