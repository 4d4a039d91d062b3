import { api } from "../../api/client.ts";
import { listKeysAtGateway } from "../../api/gateway-endpoints.ts";
import { type KeyThere, readGateways } from "../../api/gateways.ts";
import { useQuery } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { asksDesk } from "./gateway-words.tsx";
import { listed, say } from "../../said.ts";

/** Keys of a gateway and state that are read for marks; with more a mark may be missing. */
const MOST = 100;
const EVERY_MS = 30_000;
/** A key waits for so long before that is worth a mark. */
const LATE_MS = 60_000;

/** Says of a key in a list that it is not as it should be at a gateway, by its worst state. */
export default function GatewayMark({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ["gateways", "marks"],
    queryFn: readMarks,
    staleTime: EVERY_MS,
    refetchInterval: EVERY_MS,
    enabled: may("admin:read"),
  });
  const those = data?.get(id);
  if (!those) return null;
  const worst = words.find(({ state }) => those.some((one) => one.state === state));
  if (!worst) return null;
  const there = those.filter(({ state }) => state === worst.state);
  const where = listed(there.map(({ gateway }) => gateway));
  return <span class={`line-2 gateway-mark ${worst.class}`}>{say`${worst.text} ${where}`}</span>;
}

/** The worst state first. */
const words = [
  { state: "stuck", text: "Stuck at", class: "is-bad" },
  { state: "diverged", text: "Differs at", class: "" },
  { state: "late", text: "Late at", class: "" },
] as const;

/** What is stuck, differs or is late, by key ids. Asks for no key where no gateway has any. */
async function readMarks(): Promise<ReadonlyMap<string, readonly KeyThere[]>> {
  const asked = (await readGateways()).flatMap(({ id, counts, waits_since }) => {
    const isLate = waits_since !== null && Date.now() - Date.parse(waits_since) > LATE_MS;
    return [
      ...counts.stuck > 0 ? [{ id, state: "stuck" as const }] : [],
      ...counts.diverged > 0 ? [{ id, state: "diverged" as const }] : [],
      ...isLate ? [{ id, state: "waiting" as const }] : [],
    ];
  });
  const pages = await Promise.all(
    asked.map(({ id, state }) =>
      api.call(listKeysAtGateway, { params: { id }, query: { state, limit: MOST } })
    ),
  );
  const all = pages.flatMap(({ data }) => data).filter((one) =>
    one.state !== "waiting" && !asksDesk(one)
  );
  return Map.groupBy(all, ({ key_id }) => key_id);
}
