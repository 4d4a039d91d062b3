import type { RevokedLately } from "../../calls/revoked-lately.ts";
import type { Clock } from "../../kernel/clock.ts";
import { findFirstOrganisation } from "../../features/people/organisations.store.ts";
import type { Storage } from "../../storage/storage.ts";
import { endAgain, finishRestore as finish, type RestoreLog } from "./end-again.transactions.ts";
import type { Ending } from "./ending.ts";
import { readRestored, removeRestored } from "./restored-file.ts";
import { organisationIds } from "./still-revoked.store.ts";
import { stillRevoked } from "./still-revoked.ts";

/** Endings of one transaction. */
const AT_ONCE = 100;

interface RestoreContext {
  readonly storage: Storage;
  readonly clock: Clock;
}

/**
 * Does what `keydesk restore` left to the first start, before anybody is served: ends again what
 * was ended since the copy was made. Broken off, the next start goes on with it. Throws
 * RestoredUnreadable, and what the store throws.
 */
export async function finishPendingRestore(
  ctx: RestoreContext & { readonly revokedLately: RevokedLately },
  folder: string,
  databaseFile: string,
): Promise<void> {
  const restored = await readRestored(folder);
  if (!restored) return;
  const { ino } = await Deno.stat(databaseFile);
  // The restore was broken off before the copy took its place, or another one took it since.
  if (restored.inode === null || ino === null || restored.inode === ino) {
    const more = restored.reopen ? [] : await stillRevoked(ctx);
    const known = new Set(restored.endings.map(nameOf));
    const endings = [...restored.endings, ...more.filter((one) => !known.has(nameOf(one)))];
    await endAllAgain(ctx, { ...restored, endings });
    if (restored.reopen) await reopenAll(ctx);
  }
  await removeRestored(folder);
}

const nameOf = ({ of, what, org_id, id }: Ending) => [of, what, org_id, id].join("\0");

/** Forgets the remembered revocations: from the first call on they are as the store has them. */
async function reopenAll(
  { storage, revokedLately }: RestoreContext & { readonly revokedLately: RevokedLately },
): Promise<void> {
  for (const org_id of await organisationIds(storage.reader)) await revokedLately.forget(org_id);
}

/**
 * Ends these again, unless it is said that they open, and tells the audit log. `only`: the
 * organisations whose sessions end; absent: all.
 */
export async function endAllAgain(
  { storage, clock }: RestoreContext,
  logged: RestoreLog,
  only?: readonly string[],
): Promise<void> {
  const first = await findFirstOrganisation(storage.reader);
  if (!first) return;
  const byOrganisation = Map.groupBy(logged.reopen ? [] : logged.endings, ({ org_id }) => org_id);
  for (const [org_id, endings] of byOrganisation) {
    for (let from = 0; from < endings.length; from += AT_ONCE) {
      const some = endings.slice(from, from + AT_ONCE);
      await storage.commit(endAgain, { org_id, endings: some, now: clock.now() });
    }
  }
  const organisations = only ?? await organisationIds(storage.reader);
  await storage.commit(finish, { first: first.id, organisations, logged, now: clock.now() });
}
