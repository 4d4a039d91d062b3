import type { ServiceContext } from "../../../calls/context.ts";
import type { Connection } from "../../../storage/storage.ts";
import { findTokenOwner } from "../../people/access-tokens.store.ts";
import { organisationsBelow } from "../../people/organisations.store.ts";
import { passkeyHostOf } from "../../people/passkey.ts";
import { existingOf } from "../../keys/keys.store.ts";
import { type LeakReport, reportsBehind } from "./leaks.store.ts";
import { dropReports, type Matches, settleReport } from "./leaks.transactions.ts";

/** Reports that are read at once. */
const AT_ONCE = 200;

/** Whether any report waits. */
export async function reportsWait(db: Connection): Promise<boolean> {
  return (await reportsBehind(db, { behind: "" }, 1)).length > 0;
}

/**
 * Works off reports, a batch at a turn, in the order of their hashes and then from the first again:
 * one that can't be worked off now keeps none of the others waiting. Any number of nodes may do so
 * at once.
 */
export class LeakWorker {
  #behind = "";

  constructor(private readonly ctx: ServiceContext) {}

  /** Works off a batch; gives how many reports it held. */
  async turn(): Promise<number> {
    const { storage, clock, settings } = this.ctx;
    const reports = await reportsBehind(storage.reader, { behind: this.#behind }, AT_ONCE);
    this.#behind = reports.length < AT_ONCE ? "" : reports.at(-1)?.hash ?? "";
    const matches = await matchesOf(storage.reader, reports);
    const unknown = reports.filter(({ hash }) => !matches.has(hash)).map(({ hash }) => hash);
    if (unknown.length > 0) await storage.commit(dropReports, { hashes: unknown });
    for (const [hash, found] of matches) {
      const { tokens } = settings.leaks;
      const settling = {
        now: clock.now(),
        tokens,
        longestMs: settings.longestTokenMs,
        passkeyHost: passkeyHostOf(settings.publicUrl) ?? "",
      };
      try {
        await storage.commit(settleReport, { hash, ...found, ...settling });
      } catch {
        // It waits for the next round, and whatever is in its way fails calls too, which tell of
        // it.
      }
    }
    return reports.length;
  }
}

/** The possible matches of each report, by its hash; absent: none. */
async function matchesOf(
  db: Connection,
  reports: readonly LeakReport[],
): Promise<Map<string, Matches>> {
  const found = new Map<string, Matches>();
  if (reports.length === 0) return found;
  const of = (hash: string): Matches => {
    const known = found.get(hash) ?? { keys: [], token: null };
    found.set(hash, known);
    return known;
  };
  const names = reports.flatMap(({ hash, name_hash }) =>
    name_hash === "" ? [hash] : [hash, name_hash]
  );
  for await (const org_id of organisations(db)) {
    const known = await existingOf(db, org_id, names);
    if (known.size === 0) continue;
    for (const { hash, name_hash } of reports) {
      for (const key_id of [hash, name_hash]) {
        if (known.has(key_id)) of(hash).keys.push({ org_id, key_id });
      }
    }
  }
  for (const { hash } of reports) {
    const owner = await findTokenOwner(db, { hash });
    if (owner) of(hash).token = { org_id: owner.org_id, token_id: owner.token_id };
  }
  return found;
}

const PAGE = 100;

async function* organisations(db: Connection): AsyncGenerator<string, void, void> {
  for (let below: string | undefined = "~"; below !== undefined;) {
    const page = await organisationsBelow(db, { below }, PAGE);
    yield* page.map(({ id }) => id);
    below = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
}
