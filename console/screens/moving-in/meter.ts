import { api } from "../../api/client.ts";
import { getMeter } from "../../api/meter-endpoints.ts";
import { useQuery } from "../../api/queries.ts";

/** The server counts all keys for it, and says something new once a day, more or less. */
const EVERY_MS = 60_000;

/** The meter, read again each minute. */
export function useMeter() {
  return useQuery({
    queryKey: ["meter"],
    queryFn: () => api.call(getMeter, {}),
    refetchInterval: EVERY_MS,
  });
}
