import type { RequestContext } from "./context.ts";
import { actorOf } from "./principal.ts";
import { writeExportRow } from "./audit-notes.transactions.ts";

/**
 * Records in the audit log that the caller exports everything that the filters select, before the
 * first byte is sent. `told`: filters that are recorded with their values. `typed`: filters that
 * may hold anything, even a key by mistake; only their names are recorded.
 */
export async function recordExport(
  ctx: RequestContext,
  what: string,
  { detail, typed }: {
    detail: Readonly<Record<string, unknown>>;
    typed: Readonly<Record<string, string | undefined>>;
  },
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const typedNames = Object.entries(typed).filter(([, text]) => text).map(([name]) => name);
  const whole = { ...detail, ...typedNames.length > 0 && { filters: typedNames } };
  const event = { action: `${what}.exported`, object: "export", object_id: what, detail: whole };
  await ctx.storage.commit(writeExportRow, { actor, event });
}
