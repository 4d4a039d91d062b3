import { api } from "../../../api/client.ts";
import { getMigration, switchPlan } from "../../../api/migration-endpoints.ts";
import { queries, useCall } from "../../../api/queries.ts";
import type { MigrationReport } from "./words.ts";

const REPORT = ["migration"];

/** The server counts all keys for it, and says something new once a day, more or less. */
const EVERY_MS = 5 * 60_000;

/** The report, read again every five minutes. */
export function useMigrationReport() {
  return useCall(REPORT, getMigration, {}, { refetchInterval: EVERY_MS });
}

/** Reads it again now. */
export const readAgain = (): void => void queries.invalidateQueries({ queryKey: REPORT });

/** Switches a plan, which the report shows at once: to count all keys anew takes a moment. */
export async function decide(id: string, to: "keydesk" | "gateway"): Promise<void> {
  const set = await api.call(switchPlan, { params: { id }, body: { decided: to } });
  const { data } = queries.peek<MigrationReport>(REPORT);
  if (data) {
    const plans = data.plans.map((one) => one.plan === set.plan ? { ...one, ...set } : one);
    queries.setQueryData(REPORT, { ...data, plans });
  }
  readAgain();
}
