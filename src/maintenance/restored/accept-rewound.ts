import type { ServiceContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { appendAll } from "../audit-log/appender.ts";
import type { HeadWatch, RewoundLog } from "../audit-log/head-watch.ts";
import type { Ending } from "./ending.ts";
import { endAllAgain } from "./finish-restore.ts";
import { stillRevoked } from "./still-revoked.ts";

/**
 * Takes logs as they are that are not what they were, and ends again what was revoked in the last
 * 30 days and is called open by the store, with all sessions of these organisations. `reopen`: it
 * opens. Gives what that is.
 */
export async function acceptRewound(
  ctx: ServiceContext,
  watch: HeadWatch,
  rewound: readonly RewoundLog[],
  { reason, reopen }: { reason: string; reopen: boolean },
): Promise<Ending[]> {
  if (rewound.length === 0) return [];
  const organisations = rewound.map(({ known: { org_id } }) => org_id);
  const endings = (await stillRevoked(ctx)).filter(({ org_id }) => organisations.includes(org_id));
  const at = toTimestamp(ctx.clock.now());
  // Before the heads: broken off, they are against it still, and it is done once more.
  await endAllAgain(ctx, { at, known: false, reopen, endings }, organisations);
  await appendAll(ctx);
  for (const { known } of rewound) await watch.accept(known, reason);
  await watch.keep();
  return endings;
}
