import { type Api, isOpen, type OfferedPlan } from "../../../api/apis.ts";
import { api } from "../../../api/client.ts";
import { COUNTS } from "../../../api/counts.ts";
import { countKeyRequests, getUsage, listApis, listKeyRequests } from "../../../api/endpoints.ts";
import { useCall, useQuery } from "../../../api/queries.ts";

/** The state of the way to the first key, as the server reports it. */
export interface Facts {
  /** The first API that a plan opens, and that plan. */
  readonly offer: { readonly api: Api; readonly plan: OfferedPlan } | undefined;
  /** An API that nothing opens yet; only where there is no offer. */
  readonly bare: Api | undefined;
  /** The oldest request that waits. */
  readonly waiting: Waiting | undefined;
  /** Requests ever made. */
  readonly asked: number;
  /** Keys ever issued for a request. */
  readonly issued: number;
  /** Calls that were let in, in the last 30 days. */
  readonly calls: number;
  /** When the last call was. */
  readonly lastCall: string | null;
}

/** A request that waits for its decision. */
export type Waiting = Awaited<ReturnType<typeof readWaiting>>;

const EVERY_MS = 2000;

/**
 * Read again every two seconds, so that whatever is done elsewhere is ticked here. Undefined: not
 * all is read yet.
 */
export function useFacts(): { facts: Facts | undefined; error: Error | null; retry: () => void } {
  const often = { refetchInterval: EVERY_MS, staleTime: EVERY_MS / 2 };
  const apis = useCall(["apis", "start"], listApis, { query: { limit: 100 } }, { ...often });
  const counts = useCall(COUNTS, countKeyRequests, {}, { ...often });
  const waiting = useQuery({
    queryKey: ["key-requests", "start"],
    queryFn: async () => await readWaiting() ?? null,
    ...often,
  });
  const usage = useCall(["usage", "start"], getUsage, { query: {} }, { ...often });
  const all = [apis, counts, waiting, usage];
  const retry = () => all.forEach((one) => void one.refetch());
  const error = all.find((one) => one.data === undefined && one.error)?.error ?? null;
  if (!apis.data || !counts.data || waiting.data === undefined || !usage.data) {
    return { facts: undefined, error, retry };
  }
  const offers = apis.data.data.flatMap((one) =>
    one.plans.filter(isOpen).map((plan) => ({ api: one, plan }))
  );
  return {
    facts: {
      offer: offers[0],
      bare: offers[0] ? undefined : apis.data.data[0],
      waiting: waiting.data ?? undefined,
      asked: counts.data.all,
      issued: counts.data.issued,
      calls: usage.data.total.success,
      lastCall: usage.data.total.last_hit,
    },
    error,
    retry,
  };
}

async function readWaiting() {
  const query = { state: "pending", sort: "oldest", limit: 1 } as const;
  const { data: [one] } = await api.call(listKeyRequests, { query });
  return one;
}
