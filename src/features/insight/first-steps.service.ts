import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { effectivePermissions } from "../../calls/principal.ts";
import { allows, type Permission } from "../../contract/permissions.ts";
import { isInForce } from "../access/access-token.ts";
import { peopleWhoApprove } from "../access/people.store.ts";
import { findPolicy, termsIn } from "../approval-policies/policies.store.ts";
import { findPages } from "../developers/developer-pages.store.ts";
import type { Connection } from "../../storage/storage.ts";
import { lastMailed, standingTokens } from "./first-steps.store.ts";
import type { getFirstSteps } from "./insight.contract.ts";
import { DEFAULT_POLICY } from "../plans/plan-policies.store.ts";

/** Which steps are done, by what there is now. */
export async function firstSteps(
  { storage: { reader }, clock, principal: { org_id } }: RequestContext,
): Promise<z.output<typeof getFirstSteps.response>> {
  const now = clock.now();
  const tokens = (await standingTokens(reader, { org_id })).filter((row) => isInForce(row, now))
    .map((row) => ({ ...row, held: effectivePermissions(row.permissions, row.scope) }));
  const holding = (permission: Permission) =>
    tokens.filter(({ held }) => allows(held, permission) && !allows(held, "admin"));
  return {
    approver: stepOf(tokens.find(({ held }) => allows(held, "approve"))?.date_created),
    portal_token: stepOf(holding("portal:write")[0]?.date_created),
    gateway: stepOf(
      holding("verify").flatMap(({ last_used_at: at }) => at ?? []).sort().at(-1),
    ),
    mail: stepOf(await lastMailed(reader, { org_id })),
    pages: { done: arePagesOn(await findPages(reader, { org_id })), at: null },
    not_by_filer: await apartFromFilers(reader, org_id),
  };
}

/** Offered while nobody has set a default, once there are two of whom one can file. */
async function apartFromFilers(db: Connection, org_id: string) {
  const row = await findPolicy(db, { org_id, plan: DEFAULT_POLICY });
  if (row) return termsIn(row).not_by_filer ? stepOf(row.updated_at) : null;
  return (await peopleWhoApprove(db, org_id)).length < 2 ? null : stepOf(undefined);
}

function arePagesOn(document: string | undefined): boolean {
  // as: the pages' settings are written from the contract's own type.
  return (JSON.parse(document ?? "{}") as { enabled?: boolean }).enabled === true;
}

function stepOf(at: string | undefined) {
  return { done: at !== undefined, at: at ?? null };
}
