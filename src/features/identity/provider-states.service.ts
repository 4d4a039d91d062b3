import type { ServiceContext } from "../../calls/context.ts";
import type { Provider } from "./identity-provider.ts";
import { findProviderState } from "./provider-states.store.ts";
import { noteProvider, type ProviderNews } from "./provider-states.transactions.ts";

/** The same is written again after so many milliseconds at the earliest. */
const AGAIN_MS = 60_000;

/**
 * Keeps how a provider fares, where that is new. It never throws: a store that takes no changes now
 * keeps nobody from being answered.
 */
export async function tellOfProvider(
  { storage, clock }: Pick<ServiceContext, "storage" | "clock">,
  { org_id, id }: Pick<Provider, "org_id" | "id">,
  news: ProviderNews,
): Promise<void> {
  try {
    const now = clock.now();
    const known = await findProviderState(storage.reader, { org_id, id });
    const { refused, problem, refreshes } = news;
    const isTold = known !== undefined &&
      (refused === undefined || known.refused === refused &&
          now - Date.parse(known.refused_at ?? "") < AGAIN_MS) &&
      (problem === undefined || known.problem === problem) &&
      (refreshes === undefined || known.refreshes === (refreshes ? "yes" : "no"));
    if (!isTold) await storage.commit(noteProvider, { ...news, org_id, id, now });
  } catch {
    // It is told again at the next sign-in.
  }
}
