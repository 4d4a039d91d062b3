import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { findProvider } from "./identity.store.ts";
import { findProviderState, putProviderState } from "./provider-states.store.ts";

/** What is new of how a provider fares; what is absent stays as it was. */
export interface ProviderNews {
  /** Why a sign-in was refused. */
  refused?: string;
  /** What it does not do as it should; null: nothing. */
  problem?: string | null;
  /** Whether it gave a refresh token. */
  refreshes?: boolean;
}

/** Keeps how a provider fares; of one that is gone nothing. */
export const noteProvider = defineTransaction(
  "identity.note-provider",
  async (tx, input: ProviderNews & { org_id: string; id: string; now: number }): Promise<null> => {
    const { org_id, id, now, refused, problem, refreshes } = input;
    if (!await findProvider(tx, { org_id, id })) return null;
    const at = toTimestamp(now);
    const known = await findProviderState(tx, { org_id, id });
    const same = problem === undefined || problem === (known?.problem ?? null);
    await putProviderState(tx, {
      org_id,
      id,
      refused_at: refused === undefined ? known?.refused_at ?? null : at,
      refused: refused ?? known?.refused ?? null,
      problem: same ? known?.problem ?? null : problem,
      problem_since: same ? known?.problem_since ?? null : problem === null ? null : at,
      refreshes: refreshes === undefined ? known?.refreshes ?? null : refreshes ? "yes" : "no",
    });
    return null;
  },
  { withoutRoom: true },
);
