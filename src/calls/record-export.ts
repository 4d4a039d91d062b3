import type { RequestContext } from "./context.ts";
import { actorOf } from "./principal.ts";
import { writeExportRow } from "./audit-notes.transactions.ts";

/**
 * Says in the audit log that the caller takes away all of this that the filters let through; before
 * the first of it goes out, so that nothing leaves without a trace. `told`: what is asked for, as
 * it is. `typed`: filters that anything may have been typed into, a key by mistake too; their names
 * alone are told.
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
