import type { RequestContext } from "../../../calls/context.ts";
import { type Idempotency, idempotentCall } from "../../../calls/principal.ts";
import { presetOf, rolePresets } from "../../../contract/roles.ts";
import { Answer } from "../../../kernel/answer.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { leavingOpen, type LeftOpen, type WithOpenApprovals } from "../../people/left-open.ts";
import { administrationOf } from "../../people/people.service.ts";
import { openedRole, type RoleTerms } from "../../people/role.ts";
import { findRole, rolesOf } from "../../people/roles.store.ts";
import { usesOf } from "./role-uses.transactions.ts";
import { addRole, changeRole, takeAwayRole } from "./roles.transactions.ts";
import { roleRevision, type RoleView, toPresetRole, toRole } from "./role-view.ts";

/** The context of a change of a role, by which others may approve. */
export type RoleContext = RequestContext & WithOpenApprovals;

/** Every role of the organisation: those that all have, then its own. */
export async function list(ctx: RequestContext): Promise<{ data: RoleView[] }> {
  const { storage: { reader }, sealer, principal: { org_id } } = ctx;
  const data: RoleView[] = [];
  for (const preset of rolePresets) data.push(toPresetRole(preset, await uses(ctx, preset.id)));
  for (const row of await rolesOf(reader, { org_id })) {
    const own = openedRole(sealer, row);
    if (own) data.push(toRole(own, await uses(ctx, own.id)));
  }
  return { data };
}

/** One of them. Throws `not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<Answer<RoleView>> {
  const { storage: { reader }, sealer, principal: { org_id } } = ctx;
  const preset = presetOf(id);
  if (preset) return tagged(toPresetRole(preset, await uses(ctx, id)));
  const row = await findRole(reader, { org_id, id });
  const own = row && openedRole(sealer, row);
  if (!own) throw new Failure("not_found");
  return tagged(toRole(own, await uses(ctx, id)));
}

/** Adds one. Throws what the endpoint lists. */
export async function add(
  ctx: RequestContext,
  terms: RoleTerms,
  idempotency: Idempotency,
): Promise<Answer<RoleView>> {
  const administration = administrationOf(ctx);
  const { now } = administration.actor;
  const call = idempotentCall(ctx.principal, now, idempotency);
  const input = { ...administration, id: newId(now), terms, idempotency: call };
  return tagged(await ctx.storage.commit(addRole, input));
}

/** Changes one. Throws what the endpoint lists. */
export async function change(
  ctx: RoleContext,
  id: string,
  terms: RoleTerms,
  ifMatch: string[] | null,
): Promise<Answer<RoleView & { left_open: LeftOpen }>> {
  const input = { ...administrationOf(ctx), id, terms, ifMatch };
  const change = () => ctx.storage.commit(changeRole, input);
  const { made, left_open } = await leavingOpen(ctx, ctx.principal.org_id, change);
  return new Answer({ ...made, left_open }, { etag: `"${roleRevision(made)}"` });
}

/** Removes one. Throws what the endpoint lists. */
export async function remove(
  ctx: RequestContext,
  id: string,
  ifMatch: string[] | null,
): Promise<void> {
  await ctx.storage.commit(takeAwayRole, { ...administrationOf(ctx), id, ifMatch });
}

function uses({ storage, sealer, principal: { org_id }, clock }: RequestContext, role: string) {
  return usesOf(storage.reader, sealer, { org_id, role, now: clock.now() });
}

function tagged(role: RoleView): Answer<RoleView> {
  return new Answer(role, { etag: `"${roleRevision(role)}"` });
}
